import { invalidFields } from '../../errors.ts'
export function readArtifact(
  _bytes: Uint8Array,
  field: string,
): {
  manifest: { name: string; language: string; functions: string[] }
  manifestAddress: string
  stateless: boolean
} {
  throw invalidFields([{ path: field, code: 'x', message: 'x' }])
}
