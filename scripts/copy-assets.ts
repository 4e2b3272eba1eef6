/** Copies the two files the reference page needs out of their package, so that it loads nothing from another host. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const source = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const target = path.resolve(import.meta.dirname, '../public')

mkdirSync(target, { recursive: true })
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  copyFileSync(path.join(source, file), path.join(target, file))
