import { escapeHtml } from './page.ts'

const comment: Readonly<Record<string, string>> = {
  sh: '(?<![^\\s])#[^\\n]*',
  py: '#[^\\n]*',
  python: '#[^\\n]*',
  toml: '#[^\\n]*',
}
const keywords =
  /^(?:import|export|from|as|const|let|function|return|await|async|for|of|in|if|else|new|throw|try|catch|class|def|with|while|not|and|or|true|false|null|None|True|False|type|interface|extends|break|readonly)$/

/** Marks comments, texts, numbers and keywords of a program; of other texts nothing. */
export function highlight(code: string, language: string): string {
  if (!/^(?:sh|ts|js|json|py|python|toml)$/.test(language)) return escapeHtml(code)
  const parts = new RegExp(
    `(?<c>${comment[language] ?? '//[^\\n]*|/\\*[\\s\\S]*?\\*/'})|(?<s>"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|(?<w>[A-Za-z_$][\\w$]*|\\d[\\w.]*)`,
    'g',
  )
  let html = ''
  let at = 0
  for (const match of code.matchAll(parts)) {
    const { c, s, w = '' } = match.groups ?? {}
    const kind = c ? 'c' : s ? 's' : /^\d/.test(w) ? 'n' : language !== 'sh' && keywords.test(w) ? 'k' : null
    if (kind === null) continue
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(at))
}
