/**
 * The guest library: what a module can ask of the node that runs it. Import it as "hub":
 *
 *     import { emit, storage, call, hash, log, fail } from "hub";
 *
 * Every call costs gas. Texts cross the boundary as UTF-8.
 */

// @ts-ignore: decorator
@external("hive", "call")
declare function hostCall(a: usize, al: i32, f: usize, fl: i32, i: usize, il: i32): i64;
// @ts-ignore: decorator
@external("hive", "emit")
declare function hostEmit(name: usize, nameLength: i32, data: usize, dataLength: i32): void;
// @ts-ignore: decorator
@external("hive", "abort")
declare function hostAbort(message: usize, length: i32): void;
// @ts-ignore: decorator
@external("storage", "get")
declare function hostGet(key: usize, length: i32): i64;
// @ts-ignore: decorator
@external("storage", "set")
declare function hostSet(key: usize, keyLength: i32, value: usize, valueLength: i32): void;
// @ts-ignore: decorator
@external("storage", "del")
declare function hostDelete(key: usize, length: i32): void;
// @ts-ignore: decorator
@external("console", "log")
declare function hostLog(text: usize, length: i32): void;
// @ts-ignore: decorator
@external("crypto", "hash")
declare function hostHash(text: usize, length: i32): i64;

// Lone surrogates become U+FFFD: the node takes valid UTF-8 only.
function encode(text: string): ArrayBuffer {
  return String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
}

function decode(packed: i64): string {
  return String.UTF8.decodeUnsafe(<usize>(<u64>packed >>> 32), <usize>(packed & 0xffffffff));
}

/**
 * Appends an event to the receipt of the run. It is kept only if the run succeeds.
 *
 * @param name 1 to 64 of A-Z, a-z, 0-9, `_`, `.`, `:` and `-`.
 * @param data JSON with integers only, at most 16 KiB.
 */
export function emit(name: string, data: string): void {
  const n = encode(name);
  const d = encode(data);
  hostEmit(changetype<usize>(n), n.byteLength, changetype<usize>(d), d.byteLength);
}

/** Ends the run as failed, with a message of which the first 1 KiB is shown. */
export function fail(message: string): void {
  const m = encode(message);
  hostAbort(changetype<usize>(m), m.byteLength);
  unreachable();
}

/** Writes a line to the log of the node; no part of the result. At most 4 KiB. */
export function log(text: string): void {
  const t = encode(text);
  hostLog(changetype<usize>(t), t.byteLength);
}

/** keccak-256 of the text's UTF-8 bytes: `0x` and 64 lower-case hex digits. */
export function hash(text: string): string {
  const t = encode(text);
  return decode(hostHash(changetype<usize>(t), t.byteLength));
}

/** The answer of another module. */
export class CallResult {
  constructor(
    /** 0, or -1 no such module, -2 no such function, -3 it failed, -5 called too deep, -6 malformed address. */
    public code: i32,
    public output: string,
  ) {}

  get ok(): bool {
    return this.code == 0;
  }
}

/** Calls a function of another module; the gas that it uses is charged even if the call fails. */
export function tryCall(address: string, name: string, input: string): CallResult {
  const a = encode(address);
  const f = encode(name);
  const i = encode(input);
  const packed = hostCall(
    changetype<usize>(a), a.byteLength,
    changetype<usize>(f), f.byteLength,
    changetype<usize>(i), i.byteLength,
  );
  return packed < 0 ? new CallResult(<i32>packed, "") : new CallResult(0, decode(packed));
}

/** As tryCall, and fails the run when the call fails. */
export function call(address: string, name: string, input: string): string {
  const result = tryCall(address, name, input);
  if (!result.ok) fail("call of " + name + " failed with code " + result.code.toString());
  return result.output;
}

/** The values that the module keeps between runs, separate from those of other modules. */
export namespace storage {
  /** The value of a key, or null. */
  export function get(key: string): string | null {
    const k = encode(key);
    const packed = hostGet(changetype<usize>(k), k.byteLength);
    return packed == 0 ? null : decode(packed);
  }

  /** Sets a key (at most 256 bytes) to a value (at most 64 KiB); an empty value removes the key. */
  export function set(key: string, value: string): void {
    const k = encode(key);
    const v = encode(value);
    hostSet(changetype<usize>(k), k.byteLength, changetype<usize>(v), v.byteLength);
  }

  export function remove(key: string): void {
    const k = encode(key);
    hostDelete(changetype<usize>(k), k.byteLength);
  }
}
