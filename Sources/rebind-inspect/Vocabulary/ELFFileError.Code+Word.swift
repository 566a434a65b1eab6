#if Commands

import RebindFiles

extension ELFFileError.Code {
  /// The word that the JSON has for it: `not-elf` for `notELF`.
  var word: String {
    var word = ""
    var followsSmallLetter = false
    for letter in rawValue {
      if letter.isUppercase && followsSmallLetter { word.append("-") }
      word += letter.lowercased()
      followsSmallLetter = letter.isLowercase
    }
    return word
  }
}

#endif
