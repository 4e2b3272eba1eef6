import {
  GenerationError,
  parseSignedGeneration,
  type SignedGeneration,
} from '../../../../protocol/committees/index.ts'
import { isObject } from '../../../../protocol/encoding/index.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { HubError, invalidAnswer } from '../hub/hub-error.ts'
import { Members } from '../hub/members.ts'
import { peerUrlProblem } from '../hub/peer-url.ts'
import type { HashedGeneration } from '../store/generations.ts'

/** A generation as the hub shows it. Nobody has verified its signatures. */
export interface ShownGeneration {
  readonly signed: HashedGeneration
  /** URLs of validators, by key. Null for one that must not be called, or whose URL is not known. */
  readonly addresses: ReadonlyMap<string, string | null>
  /** One line for each validator that is not called, and why. */
  readonly problems: readonly string[]
}

/** Generations of the hub, the newest first. */
export interface GenerationPage {
  readonly items: readonly ShownGeneration[]
  readonly next: string | null
}

const itemsOfPage = 10
/** Ten of the largest generations, each with as many signatures. */
const pageBytesMax = 8 * 1024 * 1024

/** A page of what the hub shows; nothing of a hub that is too old to show any. @throws {@link HubError} */
export async function readGenerationPage(
  client: HubClient,
  profile: Profile,
  cursor: string | null,
): Promise<GenerationPage> {
  const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
  const target = `/v1/validators/generations?limit=${itemsOfPage}${after}`
  const found = await orNone(() =>
    client.call({ method: 'GET', target, answerBytesMax: pageBytesMax }, (answer) => {
      const page = new Members(answer)
      const items = page.get('items', isPage, `a list of at most ${itemsOfPage}`)
      return { items: items.map((item) => readShown(item, client, profile)), next: page.cursor() }
    }),
  )
  return found ?? { items: [], next: null }
}

/** One generation; null if the hub has none of this number. @throws {@link HubError} */
export function readGeneration(
  client: HubClient,
  profile: Profile,
  generation: number,
  prevHash: string,
): Promise<ShownGeneration | null> {
  const target = `/v1/validators?generation=${generation}`
  return orNone(() =>
    client.call({ method: 'GET', target, answerBytesMax: pageBytesMax }, (answer) =>
      // The members that the answer leaves out follow from the chain; the hash covers them too.
      readShown(
        isObject(answer) ? { v: 1, network: profile.network, prev_hash: prevHash, ...answer } : answer,
        client,
        profile,
      ),
    ),
  )
}

async function orNone<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return null
    throw error
  }
}

function readShown(item: unknown, { isLocal }: HubClient, profile: Profile): ShownGeneration {
  const signed = parse(item, profile)
  const addresses = new Map<string, string | null>()
  const problems: string[] = []
  for (const one of new Members(item).objects('validators', signed.document.validators.length)) {
    const url = one.optional('url', isText, 'a URL')
    const problem = url === null ? null : peerUrlProblem(url, isLocal)
    if (problem !== null)
      problems.push(`the validator ${one.text('node_id')} is not called: its address ${url} ${problem}`)
    addresses.set(one.text('public_key'), problem === null ? url : null)
  }
  const { hash } = item as { readonly hash: string }
  return { signed: { ...signed, hash }, addresses, problems }
}

function parse(item: unknown, profile: Profile): SignedGeneration {
  try {
    return parseSignedGeneration(profile, item)
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error
    throw invalidAnswer(`the hub shows no generation of validators of this network: ${error.message}`)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isPage = (value: unknown): value is unknown[] => Array.isArray(value) && value.length <= itemsOfPage
