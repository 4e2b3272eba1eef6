// Has `npx` run the project's own Node (see nx.mjs) also where npm makes no link of it: npm 10, which comes with Node 20,
// leaves out a command that several optional packages have.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../node_modules')
const bundled = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`]
  .map((name) => path.join('..', name, 'bin/node'))
  .find((file) => existsSync(path.join(modules, '.bin', file)))
const link = path.join(modules, '.bin/node')
if (bundled && !existsSync(link)) {
  mkdirSync(path.dirname(link), { recursive: true })
  symlinkSync(bundled, link)
}
