import {
  apiKeyIdLength,
  profileStrings,
  resolveProfile,
  secretLength,
} from '../../protocol/identity/index.ts'
import { example, placeholders } from '../examples.ts'
import type { Route } from '../route.ts'
import { hubVersion } from '../version.ts'
import { type Components, type Json, sorted } from './components.ts'
import { describeMembers } from './descriptions.ts'
import { errorSchema } from './failures.ts'
import { limitsTable } from './limits.ts'
import { operation } from './operation.ts'

/** The OpenAPI 3.1.0 document of the routes. Everything in it comes from what the routes are run with. */
function buildOpenApi(routes: readonly Route[]): Json {
  const shared: Components = { schemas: {}, responses: {}, headers: {} }
  const paths: Record<string, Json> = {}
  for (const { declaration } of routes) {
    paths[declaration.path] ??= {}
    Object.assign(paths[declaration.path] as Json, { [declaration.method]: operation(declaration, shared) })
  }
  describeMembers({ paths, schemas: shared.schemas })
  const tags = [...new Set(routes.map(({ declaration }) => declaration.tag))]
  return {
    openapi: '3.1.0',
    info: {
      title: '{{service}} API',
      version: hubVersion,
      summary: 'Public API of a distributed computing test network.',
      description: introduction,
      contact: { name: placeholders.service, url: example.hub },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: example.hub }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    components: {
      schemas: sorted({ ...shared.schemas, Error: errorSchema }),
      responses: sorted(shared.responses),
      headers: sorted(shared.headers),
      securitySchemes: usedSchemes(paths),
    },
  }
}

const securitySchemes: Record<string, Json> = {
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: `${placeholders.session_token_prefix}<${secretLength} characters>`,
    description: 'Token of a session, from `POST /v1/auth/siwe`.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: `${placeholders.api_key_prefix}<${apiKeyIdLength}>_<${secretLength} characters>`,
    description: 'Developer API key; the description of a call names the scope that it needs.',
  },
  nodeSignature: {
    type: 'apiKey',
    in: 'header',
    name: profileStrings(resolveProfile(placeholders)).signature_header,
    description: `Ed25519 signature of the request by a node's key, together with the headers ${placeholders.header_prefix}Node, -Public-Key, -Timestamp and -Nonce. The key is one of a registered node or a bound device.`,
  },
}

/** Only what some call takes; the others follow with the calls that take them. */
const usedSchemes = (paths: Json): Json =>
  Object.fromEntries(
    Object.entries(securitySchemes).filter(([name]) => JSON.stringify(paths).includes(`{"${name}":[`)),
  )

const introduction = `Every answer is JSON in UTF-8 unless the route says otherwise. All errors have the same shape, and their \`error\` codes are stable.
Lists are paged by \`limit\` and \`cursor\`. Times are Unix seconds, token amounts decimal strings in base units, hashes and addresses lower-case hex.
Requests are limited per API key, session wallet, node key or client address. The \`RateLimit-*\` headers of every answer show the remaining requests of the limit that is closest to exhaustion. An address is an IPv4 address or the /64 of an IPv6 address. A deployment may multiply all limits by one number.
Reads without a credential may come from a copy of the database that is a moment behind. Answers to writes, and to reads with a credential, have an \`X-Bookmark\` header: a read that sends the newest bookmark sees every write to the hub's records before it.

${limitsTable()}`

const tagDescriptions: Record<string, string> = {
  Tasks: 'Submit a task, wait for its result, run a function once.',
  Events: 'Events of the network: feeds, streams, webhooks, notifications.',
  Accounts: 'Public facts about a wallet.',
  Earnings: 'Payouts of epochs to a wallet, and its claims and withdrawals.',
  Faucet: 'Test tokens.',
  Explorer: 'Rounds, receipts, epochs, slashes and figures of the network.',
  Committees: 'Committee sets, draws and beacons.',
  Network: 'The network, its parameters and its health.',
  'Sign-in': 'Sessions for wallets, by EIP-4361.',
  Account: 'Roles, records and preferences of the calling wallet.',
  Developers: 'Profiles, enrollment, drafts and API keys of developers.',
  Projects: 'Projects that nodes work on: manifests, versions, listings and statistics.',
  Modules: 'Upload and download of executable modules.',
  Devices: 'Devices, bound to wallets by records that both sign.',
  Subscriptions: 'Devices that work for projects, and the collateral behind them.',
  Work: 'Tasks that devices were asked to run, and their results.',
  Slashing: 'Offences of nodes: evidence, slashed amounts and disputes.',
  Nodes:
    'Calls of nodes: registration, heartbeats, the WebSocket for offers, committee sets and epoch receipts.',
  Operator: 'For operators of the network. Every change is recorded in the audit log.',
  Reference: 'This document, and the documentation.',
}

/** The document as text, with placeholders for the names of a deployment. */
export const openApiText = (routes: readonly Route[]): string => JSON.stringify(buildOpenApi(routes), null, 2)
