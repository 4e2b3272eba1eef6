import {
  joinPath,
  type Problem,
  plainLine,
  plainText,
  withoutHidden,
} from '../../../protocol/encoding/index.ts'
import { type Artifact, ArtifactError, parseArtifact } from '../../../protocol/hbc/artifact.ts'
import type { ArtifactManifest } from '../../../protocol/hbc/manifest.ts'
import { invalidFields } from '../../errors.ts'

/**
 * Reads an uploaded artifact. @param field Where the artifact is in the request; problems are reported there, with the broken rule as their
 * code. @throws {@link ApiError} 400 `invalid_field`.
 */
export function readArtifact(bytes: Uint8Array, field: string): Artifact & { stateless: boolean } {
  try {
    const { guest, ...artifact } = parseArtifact(bytes, { isNew: true })
    const hiding = findHidden(artifact.manifest, joinPath(field, 'manifest'))
    if (hiding.length > 0) throw invalidFields(hiding)
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

/** Members of a manifest that others read. Artifacts may contain any text; the hub refuses texts with hidden characters. */
const shown = { name: plainLine, compiler: plainLine, version: plainLine, description: plainText } as const

const findHidden = (manifest: ArtifactManifest, path: string): Problem[] =>
  Object.entries(shown).flatMap(([member, pattern]) =>
    pattern.test(String(manifest[member as keyof typeof shown] ?? ''))
      ? []
      : [{ path: joinPath(path, member), code: 'invalid_value', message: `must be a text ${withoutHidden}` }],
  )
