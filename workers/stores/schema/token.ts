export interface Token {
  address: string
  symbol: string
  name: string
  decimals: number
}
