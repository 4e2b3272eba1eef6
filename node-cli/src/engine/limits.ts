import { gasLimitMax, inputBytesMax, outputBytesMax } from '../../../protocol/wasm/run-limits.ts'

/** Limits of a run, in bytes unless it says otherwise. */
export const limits = {
  input: inputBytesMax,
  output: outputBytesMax,
  events: 64,
  eventData: 16 * 1024,
  abortMessage: 1024,
  logLine: 4 * 1024,
  /** Lines of `console.log` that are kept of one top-level call; the others cost their gas and go away. */
  logLines: 1000,
  /** Bytes of those lines together. */
  logBytes: 256 * 1024,
  storageKey: 256,
  storageValue: 64 * 1024,
  /** Keys and values written in one top-level call. */
  storageWritten: 1024 * 1024,
  callDepth: 8,
  gas: gasLimitMax,
} as const
