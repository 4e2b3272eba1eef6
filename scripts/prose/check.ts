/**
 * Checks Markdown, comments and messages with the dictionary, and the starts of their sentences:
 * `node scripts/nx.mjs node scripts/prose/check.ts`. Migrations are left out, because an applied one never changes.
 */
import { createLinter, loadTextlintrc } from 'textlint'
import { listFiles, readText } from '../imports/graph.ts'
import { findVagueStarts, findVagueStartsOfMarkdown, proseOfCode, proseOfMarkdown } from './prose.ts'

const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: '.textlintrc.json' }) })

const files = listFiles('.md', '.ts', '.mjs', '.sol', '.svelte').filter(
  (file) => !/generated|\/vectors\/|^scripts\/prose\/|^LICENSE/.test(file),
)
let count = 0
for (const file of files) {
  const text = readText(file)
  const [prose, vague] = file.endsWith('.md')
    ? [proseOfMarkdown(text), findVagueStartsOfMarkdown(text)]
    : [proseOfCode(text), findVagueStarts(text)]
  for (const { line, words } of vague) {
    console.error(`${file}:${line} "${words} …": name the thing that acts or is meant`)
    count += 1
  }
  const { messages } = await linter.lintText(prose, `${file}.txt`)
  for (const { loc, message } of messages) {
    console.error(`${file}:${loc.start.line}:${loc.start.column} ${message}`)
    count += 1
  }
}
if (count > 0) {
  console.error(`${count} sentences are not in plain English. scripts/prose/dictionary.yml has the reasons.`)
  process.exit(1)
}
