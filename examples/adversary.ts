// Attacks of a module on its node, one function each. No function gets further than the rules allow; see README.md.
import { emit, hash, log, storage, tryCall } from "hub";

let counter: u64 = 0;

/** Never ends: out of gas. */
export function forever(): void {
  while (true) counter++;
}

/** Calls itself for ever: stack limit exceeded. */
export function recurse(): string {
  return deeper(1).toString();
}

function deeper(n: i32): i32 {
  return deeper(n + 1) + n;
}

/** Grows its memory as far as it gets, writes all of it, and answers the number of pages. */
export function hoard(): string {
  while (memory.grow(16) >= 0) {}
  while (memory.grow(1) >= 0) {}
  const pages = memory.size();
  memory.fill(1 << 16, 1, (pages - 1) << 16);
  return pages.toString();
}

/** Allocates more than there can be: a trap. */
export function exhaust(): void {
  while (true) heap.alloc(1 << 20);
}

/** Makes NaNs in ways that give other bits on other machines, and answers the bits. */
export function nan(): string {
  let bits = "";
  const zero = <f64>counter;
  const made: f64[] = [zero / zero, Math.sqrt(-1 - zero), f64.sub(Infinity + zero, Infinity), -(zero / zero), NaN * (zero + 1)];
  for (let i = 0; i < made.length; i++) bits += reinterpret<u64>(made[i]).toString(16) + " ";
  const single = <f32>zero;
  bits += reinterpret<u32>(single / single).toString(16) + " ";
  const payload = reinterpret<f64>(0x7ff4000000000123 + counter);
  bits += reinterpret<u64>(payload).toString(16) + " " + reinterpret<u64>(payload + zero).toString(16);
  return bits;
}

/** Fills memory again and again: cheap in gas, dear in time. The clock of the node ends it, without a receipt. */
export function stall(): void {
  memory.grow(1000);
  while (true) memory.fill(1 << 16, <u8>(counter++), 900 << 16);
}

/** Emits without end: a trap at the 65th event. */
export function flood(): void {
  while (true) emit("flood", "1");
}

/** Writes without end: a trap past 1 MiB. */
export function scribble(): void {
  const value = "x".repeat(60000);
  for (let i = 0; ; i++) storage.set(i.toString(), value);
}

/** Logs without end: the first lines are kept, then it runs out of gas. */
export function chatter(): void {
  while (true) log("x".repeat(1000));
}

/** Hashes all its memory again and again: out of gas, for a hash costs by the byte. */
export function digest(): void {
  while (true) hash("x".repeat(100000));
}

/** Input: the address of this module. Every level hoards memory and then calls the next. */
export function tower(address: string): string {
  hoard();
  const above = tryCall(address, "tower", address);
  return above.ok ? (I32.parseInt(above.output) + 1).toString() : above.code.toString();
}

/** Input: the address of this module. Calls one hoarder after the other: each begins with a memory of its own. */
export function storm(address: string): string {
  let called = 0;
  while (called < 10 && tryCall(address, "hoard", "").ok) called++;
  return called.toString();
}
