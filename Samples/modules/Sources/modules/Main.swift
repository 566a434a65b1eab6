import FoundationEssentials
import ModuleKit
import Rebind
import RebindConfiguration
import RebindRegistry

@main struct Main {
  static let application = Application()

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 else {
      print("Usage: modules CONFIGURATION")
      return
    }
    let folder = URL(filePath: arguments[0]).deletingLastPathComponent().path

    print("Launch, with what is linked in, what code registers, and what a file says")
    application.registry.register("Log", priority: 10) { LogModule(name: "Log") }
    try application.registry.merge(contentsOf: arguments[1])
    try application.launch()

    print("Services")
    try useServices()

    print("Events")
    application.context.send(.didBecomeActive)
    open("app://send.event/messages?details=3")

    print("A plug-in in Swift")
    open("app://call.service/Forecast/weather?city=Oslo")
    for _ in 1...2 {
      let plugin = try Plugin(path: "\(folder)/libWeatherPlugin.so")
      open("app://call.service/Forecast/weather?city=Oslo")
      plugin.unload()
      open("app://call.service/Forecast/weather?city=Oslo")
    }

    print("A plug-in in C")
    let plugin = try Plugin(path: "\(folder)/libTidesPlugin.so")
    open("app://call.service/Tides/next?place=Bergen")
    open("app://call.service/Tides/last?place=Bergen")
    application.context.send(.custom("ships", "2"))
    let image = plugin.image
    plugin.unload()
    open("app://call.service/Tides/next?place=Bergen")
    print("  it is", try Image.all.contains(image) ? "still there" : "gone from memory")

    print("Shut down")
    application.shutDown()
  }

  static func useServices() throws {
    let services = application.context.services
    let greeter = try services.find((any Greeter).self)
    print("  \(greeter.greeting(for: "Anna"))")
    open("app://call.service/Greeter/greeting?name=Bo%20and%20Cy")
    let (first, second) = (
      try services.find((any Counter).self), try services.find((any Counter).self)
    )
    print("  two counters: \(first.next()) \(first.next()), \(second.next())")
  }

  static func open(_ url: String) {
    do {
      let answer = try application.router.open(url)
      if !answer.isEmpty { print("  \(answer)") }
    } catch {
      print("  \(error)")
    }
  }
}
