// A counter that survives between runs. Storage makes the module stateful.
import { emit, fail, storage } from "hub";

export function increment(by: string): string {
  const step = by.length > 0 ? I64.parseInt(by) : 1;
  if (step < 1) fail("the step must be a positive integer");
  const next = current() + step;
  storage.set("count", next.toString());
  emit("incremented", '{"by":' + step.toString() + ',"count":' + next.toString() + "}");
  return next.toString();
}

export function read(): string {
  return current().toString();
}

export function reset(): void {
  storage.remove("count");
}

function current(): i64 {
  const stored = storage.get("count");
  return stored === null ? 0 : I64.parseInt(stored);
}
