/**
 * Puts everything that the Worker serves into `public/`, beside the OpenAPI document, which `npm run openapi` writes: the
 * console, the pages about error codes and causes, and the two files that the reference page needs, so that it loads nothing from
 * another host.
 */
import { copyFileSync, cpSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { placeConsole } from './console.ts'

const source = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const target = path.resolve(import.meta.dirname, '../public')

for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  copyFileSync(path.join(source, file), path.join(target, file))
for (const pages of ['errors', 'causes'])
  cpSync(path.resolve(import.meta.dirname, '../docs', pages), path.join(target, pages), { recursive: true })
await placeConsole(target)
