/** Holds Markdown, comments and messages against the dictionary: `node scripts/nx.mjs node scripts/prose/check.ts`. */
import { createLinter, loadTextlintrc } from 'textlint'
import { listFiles, readText } from '../imports/graph.ts'
import { proseOfCode, proseOfMarkdown } from './prose.ts'

const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: '.textlintrc.json' }) })

const files = listFiles('.md', '.ts').filter(
  (file) => !/generated|\/vectors\/|^scripts\/prose\/|^LICENSE/.test(file),
)
let count = 0
for (const file of files) {
  const text = readText(file)
  const prose = file.endsWith('.md') ? proseOfMarkdown(text) : proseOfCode(text)
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
