/** Names what a caller has written: a request that carries it sees at least that much, wherever it is answered. */
export const bookmarkHeader = 'X-Bookmark'
