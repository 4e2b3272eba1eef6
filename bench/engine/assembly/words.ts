/** Strings: building, splitting, counting in a map, joining. */
function kernel(n: i32): i32 {
  let text = ""
  for (let i = 0; i < n; i++) text += (i % 7 == 0 ? " north" : " sea") + (i % 13).toString()
  const counts = new Map<string, i32>()
  const words = text.split(" ")
  for (let i = 0; i < words.length; i++) {
    const word = words[i]
    counts.set(word, counts.has(word) ? counts.get(word) + 1 : 1)
  }
  const keys = counts.keys()
  let digest = 0
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]
    for (let j = 0; j < key.length; j++) digest = digest * 31 + key.charCodeAt(j)
    digest += counts.get(key)
  }
  return digest
}
