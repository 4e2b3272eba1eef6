/** The accent colour of an operator, as the page can use it in both schemes. */

type Colour = readonly [red: number, green: number, blue: number]

/** Backgrounds of app.css. */
const backgrounds = { light: [255, 255, 255], dark: [14, 17, 22] } as const
/** Above the 4.5 of WCAG AA, for backgrounds that are a little less light or dark than the page. */
const contrastMin = 5.5

/** The colour itself where it can be read on the background of the scheme, else the nearest mixture with black or white that can. */
export function accentFor(hex: string, scheme: keyof typeof backgrounds): string {
  const colour = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour
  const end = scheme === 'light' ? 0 : 255
  for (let share = 0; share <= 20; share++) {
    const mixed = colour.map((part) => Math.round(part + ((end - part) * share) / 20)) as unknown as Colour
    if (contrast(mixed, backgrounds[scheme]) >= contrastMin)
      return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
  return scheme === 'light' ? '#000000' : '#ffffff'
}

/** As WCAG computes it. */
export function contrast(one: Colour, other: Colour): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Colour
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
