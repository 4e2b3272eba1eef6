// Each exported function takes a text and returns a text. A module has no clock, no randomness, no files and no network,
// so that every node computes the same result.

export function greet(name: string): string {
  return "Hello, " + name + "!";
}
