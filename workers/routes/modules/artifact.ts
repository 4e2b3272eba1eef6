import { joinPath, type Problem } from '../../../protocol/encoding/index.ts'
import { type Artifact, ArtifactError, parseArtifact } from '../../../protocol/hbc/artifact.ts'
import { invalidFields } from '../../errors.ts'

/**
 * Reads an uploaded artifact.
 *
 * @param field Where the artifact is in the request; problems are reported there, with the broken rule as their code.
 * @throws {@link ApiError} 400 `invalid_field`.
 */
export function readArtifact(bytes: Uint8Array, field: string): Artifact & { stateless: boolean } {
  try {
    const { guest, ...artifact } = parseArtifact(bytes)
    return { ...artifact, stateless: guest.stateless }
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    const { rule, message, problems } = error
    const inside = problems.map(
      (problem): Problem => ({
        path: joinPath(joinPath(field, 'manifest'), problem.path || 'object'),
        code: rule,
        message: problem.message,
      }),
    )
    throw invalidFields(inside.length > 0 ? inside : [{ path: field, code: rule, message }])
  }
}
