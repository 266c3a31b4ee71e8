/// Evaluates an expression that changes a value, which `#expect` doesn't take as it is.
func result<Value>(_ value: Value) -> Value { value }
