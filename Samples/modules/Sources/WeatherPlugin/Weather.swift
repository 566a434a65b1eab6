import ModuleKit
import RebindMacros

@Annotated(group: "modules", key: "Weather", value: "normal", priority: 5)
final class WeatherModule: Module, AnnotationCreatable {
  func setUp(_ context: Context) { print("  Weather is set up, for", context["city"] ?? "no city") }
  func tearDown(_ context: Context) { print("  Weather is torn down") }
}

@Annotated(group: "services", key: "Forecast")
final class RainForecast: Forecast, AnnotationCreatable {
  func weather(in city: String) -> String { "Rain in \(city)" }

  func call(_ method: String, _ argument: String) -> String? {
    method == "weather" ? weather(in: argument) : nil
  }
}
