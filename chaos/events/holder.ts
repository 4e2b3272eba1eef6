import { createHub, type FollowOptions } from '../../sdk/index.ts'

type Hub = { readonly fetch: typeof fetch }
type Client = ReturnType<typeof createHub>
type Type = 'project.delisted'

/** Streams that the hub allows one caller at once. */
const perCaller = 10
/** Streams that are opened at once. */
const openedAtOnce = 100

/** A line of the holder's answer: all streams are open, one has received its event once more, or one has ended. */
export type Said = { readonly open: true } | { readonly seen: number } | { readonly ended: string }

/**
 * A Worker that follows events of `?type=` as often as `?count=` says, by streams of the client library, in the hub's own process: through a
 * socket, workerd takes two open files for each stream, and this machine may not allow that many.
 */
export default {
  async fetch(request: Request, { HUB }: { HUB: Hub }): Promise<Response> {
    const { count, type } = Object.fromEntries(new URL(request.url).searchParams)
    const encoder = new TextEncoder()
    const body = new ReadableStream({
      async start(controller) {
        const say = (said: Said) => controller.enqueue(encoder.encode(`${JSON.stringify(said)}\n`))
        await hold(HUB, Number(count), type as Type, say)
        say({ open: true })
      },
    })
    return new Response(body)
  },
}

/** Opens streams that no event concerns but one, ten of each caller. */
async function hold(hub: Hub, count: number, type: Type, say: (said: Said) => void): Promise<void> {
  const url = 'http://hub'
  const through = (request: Request) => hub.fetch(request)
  const { next_cursor: from } = await createHub({ url, fetch: through }).call('GET /v1/events', {
    query: { type },
  })
  for (let first = 0; first < count; first += openedAtOnce) {
    const opening = Array.from({ length: Math.min(openedAtOnce, count - first) }, (_, i) => {
      const index = first + i
      const caller = Math.floor(index / perCaller)
      const { promise, resolve } = Promise.withResolvers<void>()
      const client = createHub({
        url,
        fetch: async (request) => {
          request.headers.set('cf-connecting-ip', `10.2.${caller >> 8}.${caller & 255}`)
          const response = await through(request)
          resolve()
          return response
        },
      })
      void follow(client, { types: [type], from }, () => say({ seen: index })).catch((error) =>
        say({ ended: `idle follower ${index} ended: ${error}` }),
      )
      return promise
    })
    await Promise.all(opening)
  }
}

async function follow({ events }: Client, options: FollowOptions, onEvent: () => void): Promise<void> {
  for await (const _ of events.follow(options)) onEvent()
}
