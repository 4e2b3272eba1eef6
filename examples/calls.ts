// Calls of other modules. The callee has its own memory and storage; what it uses of the gas is the caller's.
import { call, emit, tryCall } from "hub";

/** Input: address, function and input of another module, with a space between. Answers what it answers. */
export function ask(request: string): string {
  const parts = split(request);
  return call(parts[0], parts[1], parts[2]);
}

/** The same, and goes on when the call fails: everything the callee did is undone. */
export function attempt(request: string): string {
  const parts = split(request);
  const answer = tryCall(parts[0], parts[1], parts[2]);
  emit("attempted", '{"code":' + answer.code.toString() + "}");
  return answer.ok ? answer.output : "failed with code " + answer.code.toString();
}

/** Input: the address of this module. Calls itself until it is too deep, and answers how deep that was. */
export function descend(address: string): string {
  const below = tryCall(address, "descend", address);
  return below.ok ? (I32.parseInt(below.output) + 1).toString() : "0";
}

function split(request: string): string[] {
  const parts = request.split(" ");
  const input = parts.slice(2).join(" ");
  return [parts[0], parts.length > 1 ? parts[1] : "", input];
}
