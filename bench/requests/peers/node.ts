/** The same answers from node:http and node:sqlite, as a program of its own: it prints its port. */
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'

const [seed = '{}'] = process.argv.slice(2)
const { answer, items } = JSON.parse(seed) as { answer: string; items: object[] }

const db = new DatabaseSync(':memory:')
db.exec(
  'CREATE TABLE answers (id TEXT PRIMARY KEY, body TEXT); CREATE TABLE items (id INTEGER PRIMARY KEY, body TEXT)',
)
db.prepare('INSERT INTO answers VALUES (?, ?)').run('project', answer)
for (const item of items) db.prepare('INSERT INTO items (body) VALUES (?)').run(JSON.stringify(item))

const point = db.prepare('SELECT body FROM answers WHERE id = ?')
const list = db.prepare('SELECT body FROM items ORDER BY id LIMIT 51')

const bodyOf = (path: string | undefined): string => {
  if (path === '/point/project') return String(point.get('project')?.body)
  const rows = list.all().map(({ body }) => JSON.parse(String(body)) as object)
  return JSON.stringify({ items: rows.slice(0, 50), next_cursor: null })
}

const server = createServer(({ url }, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(bodyOf(url))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : '')
})
