/**
 * Characters that a reader does not see and that change what is around them: controls, line and paragraph separators, and
 * what turns the direction of writing (the `Bidi_Control` characters of Unicode). With them a name can look like another.
 */
const withoutTabAndLineEnds =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const hidden = `\\u0009\\u000a\\u000d${withoutTabAndLineEnds}`

/** Text of one line that shows all it has, such as a name or a label. */
export const plainLine: RegExp = new RegExp(`^[^${hidden}]*$`)

/** Text that shows all it has, in one line or more. */
export const plainText: RegExp = new RegExp(`^[^${withoutTabAndLineEnds}]*$`)

/** The rule for the characters of these texts, in words. */
export const withoutHidden = 'without control characters and characters that turn the direction of writing'

/** The same rule for texts that may not be empty. */
export const notBlank = `${withoutHidden}, and not of white space alone`

const hiddenOrIgnored = new RegExp(`[${hidden}]|\\p{Default_Ignorable_Code_Point}`, 'gu')

/** Writes what a reader would not see as \u escapes of JSON. */
export const escapeHidden = (text: string): string =>
  text.replace(hiddenOrIgnored, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      const unit = character.charCodeAt(i).toString(16).padStart(4, '0')
      return `\\u${unit}`
    }).join(''),
  )

/** A character that a reader sees: neither white space nor one that is never drawn, such as a zero-width space. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** Whether a text shows anything at all. */
export const isVisible = (text: string): boolean => visible.test(text)
