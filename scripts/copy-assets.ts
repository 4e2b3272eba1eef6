/**
 * Puts everything that the Worker serves into `public/`, beside the OpenAPI document, which `npm run openapi` writes: the
 * console and the documentation.
 */
import path from 'node:path'
import { placeConsole } from './console.ts'
import { placeSite } from './site/build.ts'

const target = path.resolve(import.meta.dirname, '../public')

await placeConsole(target)
await placeSite(target)
