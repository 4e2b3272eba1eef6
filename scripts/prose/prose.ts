/**
 * The prose of a file in TypeScript, Solidity or Svelte: its comments, and its texts of several words, such as messages and names of tests. All
 * else becomes blanks, so that every word keeps its line and column.
 */
export function proseOfCode(code: string): string {
  const prose: string[] = []
  for (const { kind, text } of piecesOf(code)) {
    const isProse = kind === 'comment' || (kind === 'text' && /[A-Za-z]{2,}[,;:]? [A-Za-z]/.test(text))
    prose.push(isProse ? text.replaceAll(/[*/`]/g, ' ') : blank(text))
  }
  return prose.join('')
}

/** Code in Markdown, and what stands between its marks, is no prose. */
export const proseOfMarkdown = (markdown: string): string =>
  markdown.replaceAll(/^(```+)[^\n]*\n[\s\S]*?^\1/gm, blank).replaceAll(/`[^`\n]*`/g, blank)

/** A sentence that begins with a clause as its subject. */
interface VagueStart {
  /** From 1. */
  readonly line: number
  readonly words: string
}

/** Questions may begin with these words. */
const vagueStart = /(?:^|[.;:!?]\s+)((?:What|Who|Whatever|Where|None)\b(?![^.?!]*\?)(?: \S+){0,3})/g
const commentMarks = /^\s*(?:\/\*\*?|\*\/?|\/\/+)?\s*(?:@returns |@param \S+ (?:- )?)?/
const listMarks = /^\s*(?:[-*]|\d+\.)?\s+/

const vagueStartsOf = (lines: readonly string[]): VagueStart[] =>
  lines.flatMap((line, i) =>
    [...line.matchAll(vagueStart)].map(([, words]) => ({ line: i + 1, words: words! })),
  )

/** Sentences of comments and messages whose reader has to guess which thing is meant; labels have no full stop. */
export function findVagueStarts(code: string): VagueStart[] {
  const sentences = piecesOf(code).map(({ kind, text }) =>
    kind === 'comment' || (kind === 'text' && /[.;]\s*$/.test(text)) ? text : blank(text),
  )
  return vagueStartsOf(
    sentences
      .join('')
      .split('\n')
      .map((line) => line.replace(commentMarks, '')),
  )
}

/** The same of Markdown, without its headings, tables and code. */
export function findVagueStartsOfMarkdown(markdown: string): VagueStart[] {
  const lines = proseOfMarkdown(markdown).split('\n')
  return vagueStartsOf(lines.map((line) => (/^\s*[#|]/.test(line) ? '' : line.replace(listMarks, ''))))
}

interface Piece {
  readonly kind: 'code' | 'comment' | 'text'
  readonly text: string
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** Comments, the inside of strings, and regular expressions, whose quotes begin nothing. The order decides. */
const token =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|'(?<single>(?:[^'\\\n]|\\.)*)'|"(?<double>(?:[^"\\\n]|\\.)*)"|`(?<template>(?:[^`\\]|\\[\s\S])*)`|(?<=[(,=:[!&|?{};]\s*|return )\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g

/** All of a file, in order. The expressions inside a template are taken for words of it. */
function piecesOf(code: string): Piece[] {
  const pieces: Piece[] = []
  let done = 0
  for (const { index, 0: whole, groups = {} } of code.matchAll(token)) {
    pieces.push({ kind: 'code', text: code.slice(done, index) })
    const { comment, single, double, template } = groups
    const text = single ?? double ?? template
    if (comment !== undefined) pieces.push({ kind: 'comment', text: whole })
    else if (text === undefined) pieces.push({ kind: 'code', text: whole })
    else pieces.push({ kind: 'code', text: ' ' }, { kind: 'text', text }, { kind: 'code', text: ' ' })
    done = index + whole.length
  }
  pieces.push({ kind: 'code', text: code.slice(done) })
  return pieces
}
