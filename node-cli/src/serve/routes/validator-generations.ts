import {
  GenerationError,
  generationValidatorsMax,
  parseGeneration,
} from '../../../../protocol/committees/index.ts'
import { type GenerationSignerParts, signNextGeneration } from '../generations/signer.ts'
import { invalidField } from '../http/api-error.ts'
import { checkMembers, parseJsonObject } from '../http/json-body.ts'
import { json, type Route } from '../http/route.ts'
import { orFault } from './faults.ts'

/** A validator takes some 200 bytes, and four values. */
const bytesMax = 512 * 1024
const valuesMax = 4 * generationValidatorsMax

/** Signs the next generation of validators for the coordinator. */
export const validatorGenerationsRoute = (parts: GenerationSignerParts): Route => ({
  method: 'POST',
  path: '/consensus/validator-generations',
  access: 'coordinator',
  body: { contentType: 'application/json', bytesMax },
  handle: async ({ body, caller }) => {
    const members = parseJsonObject(body, valuesMax)
    checkMembers(members, ['document'], ['document'], () => {})
    const document = orInvalid(() => parseGeneration(parts.profile, members.document))
    const key = caller.kind === 'node' ? caller.publicKey : ''
    return json(200, await orFault(() => signNextGeneration(parts, document, key)))
  },
})

function orInvalid<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    throw invalidField(`document.${error.field}`, error.message)
  }
}
