interface Media {
  schema?: object
  examples?: Record<string, unknown>
}

export interface Answer {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

export interface Operation {
  operationId: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}

/** The parts of an OpenAPI document that the tests read. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Answer> }
}

/** The answer that the document declares for a status of an operation; undefined if it declares none. */
export function declaredAnswer(
  { components }: Document,
  { responses }: Operation,
  status: number,
): Answer | undefined {
  const named = responses[String(status)]
  if (!named?.$ref) return named
  const answer = components.responses[named.$ref.replace('#/components/responses/', '')]
  if (!answer) throw new Error(`${named.$ref} leads nowhere`)
  return answer
}

/** One answer of one operation, e.g. `getModule 404 not_found`, `getModule 200`. */
export const nameOfAnswer = (operationId: string, status: number, code?: string): string =>
  [operationId, status, code].filter((part) => part !== undefined).join(' ')

/** Every answer the document names, an error once for each of its codes. */
export const declaredAnswers = (document: Document): string[] =>
  Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap((operation) =>
      Object.keys(operation.responses).flatMap((status) => {
        const { content } = declaredAnswer(document, operation, Number(status)) ?? {}
        const codes =
          Number(status) >= 400 ? Object.keys(content?.['application/json']?.examples ?? {}) : [undefined]
        return codes.map((code) => nameOfAnswer(operation.operationId, Number(status), code))
      }),
    )
