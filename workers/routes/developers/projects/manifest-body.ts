import type * as z from 'zod'
import {
  CanonicalJsonError,
  dottedPath,
  problemsMax,
  type UnencodableValue,
} from '../../../../protocol/encoding/index.ts'
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
    const body = parseJsonBody(bytes, {
      onUnencodable(code, _readAs, path) {
        // More are not listed. Outside the manifest the schema takes neither numbers nor such strings.
        if (unencodable.length === problemsMax) return
        const [member, ...inside] = path
        if (member !== 'manifest') throw new CanonicalJsonError(code, dottedPath(path))
        unencodable.push({ code, path: dottedPath(inside) })
      },
    })
    return { envelope: validate(schema, body), unencodable }
  },
})
