import Injection
import RebindMacros

// The parts of the program. Nothing lists these types: they are annotated, and that is all.

protocol Mailer {
  func send(_ text: String)
}

/// Made once, and right away.
@Annotated(group: "injection", key: "Log", value: "eager")
final class Log: Injectable {
  private(set) var count = 0

  init(from injector: Injector) { print("the log is open") }

  func add(_ line: String) {
    count += 1
    print("\(count): \(line)")
  }
}

/// The implementation of the protocol.
@Annotated(group: "injection", key: "Mailer")
struct PostMailer: Mailer, Injectable {
  let log: Log

  init(from injector: Injector) throws { log = try injector.get() }

  func send(_ text: String) { log.add("posted \(text)") }
}

/// The implementation of the protocol under a name, made once.
@Annotated(group: "injection", key: "Mailer:urgent", value: "shared")
final class Telegraph: Mailer, Injectable {
  let log: Log

  init(from injector: Injector) throws {
    log = try injector.get()
    print("the telegraph is on")
  }

  func send(_ text: String) { log.add("wired \(text.uppercased())") }
}

/// Made each time.
@Annotated(group: "injection", key: "Newsletter")
struct Newsletter: Injectable {
  let mailer: any Mailer
  let urgentMailer: any Mailer
  let greeting: String

  init(from injector: Injector) throws {
    mailer = try injector.get()
    urgentMailer = try injector.get(named: "urgent")
    greeting = try injector.get(named: "greeting")
  }

  func publish(_ news: String) {
    mailer.send("'\(greeting), \(news)'")
    urgentMailer.send("'\(news)'")
  }
}
