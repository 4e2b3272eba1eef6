import type { Problem } from '../encoding/index.ts'

/** The rule an artifact breaks. The names are stable: clients see them as problem codes. */
export type ArtifactRule =
  | 'artifact_too_large'
  | 'not_a_zip'
  | 'unaccounted_bytes'
  | 'zip64'
  | 'several_disks'
  | 'encrypted'
  | 'unsupported_entry'
  | 'directory'
  | 'unexpected_entry'
  | 'duplicate_entry'
  | 'missing_entry'
  | 'header_mismatch'
  | 'overlapping_entries'
  | 'entry_too_large'
  | 'compression_ratio'
  | 'size_mismatch'
  | 'crc_mismatch'
  | 'broken_deflate'
  | 'manifest_json'
  | 'manifest'
  | 'manifest_address'
  | 'wasm'
  | 'wasm_feature'
  | 'wasm_abi'

/** Thrown for bytes that are not an acceptable artifact; the message says which rule they break and where. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError'
  readonly rule: ArtifactRule
  /** The problems of the manifest, when `rule` is `manifest`. */
  readonly problems: readonly Problem[]

  constructor(rule: ArtifactRule, message: string, problems: readonly Problem[] = []) {
    super(message)
    this.rule = rule
    this.problems = problems
  }
}
