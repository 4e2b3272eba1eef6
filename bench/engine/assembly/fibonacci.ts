/** Calls of a small recursive function. */
function fibonacci(n: i32): i32 {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

function kernel(n: i32): i32 {
  return fibonacci(n)
}
