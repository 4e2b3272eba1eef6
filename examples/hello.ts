// The smallest module: one function that answers its input.

export function greet(name: string): string {
  return "Hello, " + (name.length > 0 ? name : "world") + "!";
}
