// A suite imports what it tests, and TestSupport: that brings what every suite needs.
@_exported public import Foundation
@_exported public import Glibc
@_exported public import Testing
