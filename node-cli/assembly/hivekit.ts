/**
 * The other dialect of this runtime: names that are there without an import, and handlers that the module defines.
 *
 *     hive.define("greet", (name: string): string => "Hello, " + name);
 */

import * as node from "./node/hub";

// @ts-ignore: decorator
@external("hive", "call")
declare function hostCall(a: usize, al: i32, f: usize, fl: i32, i: usize, il: i32): i64;

type Handler = (input: string) => string;

const names: string[] = [];
const handlers: Handler[] = [];

/** The handler that was defined under a name. */
export function __handler(name: string): Handler {
  return handlers[names.indexOf(name)];
}

export namespace hive {
  /** Makes a handler the function of the artifact that has this name. */
  export function define(name: string, handler: (input: string) => string): void {
    names.push(name);
    handlers.push(handler);
  }

  /** Returns the output of a function of another module; if the call fails, the run fails. */
  export function call(address: string, name: string, input: string): string {
    return node.call(address, name, input);
  }

  /** The same, or null when the call fails. */
  export function tryCall(address: string, name: string, input: string): string | null {
    const result = node.tryCall(address, name, input);
    return result.ok ? result.output : null;
  }

  /** The same as the node gives it: pointer << 32 | length, or a code below 0. */
  export function tryCallRaw(address: string, name: string, input: string): i64 {
    const a = String.UTF8.encode(address, false, String.UTF8.ErrorMode.REPLACE);
    const f = String.UTF8.encode(name, false, String.UTF8.ErrorMode.REPLACE);
    const i = String.UTF8.encode(input, false, String.UTF8.ErrorMode.REPLACE);
    return hostCall(
      changetype<usize>(a), a.byteLength,
      changetype<usize>(f), f.byteLength,
      changetype<usize>(i), i.byteLength,
    );
  }

  /** Appends an event to the receipt of the run. */
  export function emit(name: string, data: string): void {
    node.emit(name, data);
  }

  /** Writes a line to the log of the node. */
  export function log(text: string): void {
    node.log(text);
  }

  /** keccak-256 of the text's UTF-8 bytes: `0x` and 64 lower-case hex digits. */
  export function hash(text: string): string {
    return node.hash(text);
  }

  /** Ends the run as failed. */
  export function fail(message: string): void {
    node.fail(message);
  }
}

export namespace storage {
  /** The value of a key; empty if the key is not set. */
  export function get(key: string): string {
    const value = node.storage.get(key);
    return value === null ? "" : value;
  }

  export function set(key: string, value: string): void {
    node.storage.set(key, value);
  }

  export function del(key: string): void {
    node.storage.remove(key);
  }
}
