import type * as z from 'zod'
import { CanonicalJsonError, type UnencodableValue } from '../../../../protocol/encoding/index.ts'
import type { HubContext } from '../../../context.ts'
import { parseJsonBody, requireContentType } from '../../../http/body.ts'
import { validate } from '../../../http/validate.ts'

/**
 * A body with a manifest in it. A value without canonical form breaks any other body; in the manifest it is a problem of
 * the manifest, listed with the others.
 */
export const manifestBody = <S extends z.ZodType>(schema: S, example: unknown) => ({
  schema,
  example,
  parse(c: HubContext, bytes: Uint8Array): { envelope: z.output<S>; unencodable: UnencodableValue[] } {
    requireContentType(c, 'application/json')
    const unencodable: UnencodableValue[] = []
    const body = parseJsonBody(bytes, (value) => unencodable.push(insideManifest(value)))
    return { envelope: validate(schema, body), unencodable }
  },
})

/** The same value with its path inside the manifest. @throws {@link CanonicalJsonError} when it is elsewhere. */
function insideManifest({ code, path }: UnencodableValue): UnencodableValue {
  const inside = /^manifest(?:\.|(?=\[|$))/.exec(path)
  if (inside === null) throw new CanonicalJsonError(code, path)
  return { code, path: path.slice(inside[0].length) }
}
