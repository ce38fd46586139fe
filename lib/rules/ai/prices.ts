import * as z from 'zod'

/** Tokens of one call. `input` contains `cached` and `cacheWrites`; `output` contains `reasoning`. */
export interface TokenUsage {
  input: number
  cached: number
  cacheWrites: number
  output: number
  reasoning: number
  /** Whether the provider reported no usage, so that this is an estimate. */
  isEstimated: boolean
}

const Price = z.number().min(0).max(10_000)
const ModelPrice = z.strictObject({
  input: Price,
  cached: Price.optional(),
  cache_write: Price.optional(),
  output: Price,
})
/**
 * Dollars per million tokens, by model. `*` is the price of every other model, so that none is free by
 * accident.
 */
const Prices = z.record(z.string(), ModelPrice).and(z.object({ '*': ModelPrice }))
export type Prices = z.infer<typeof Prices>

// https://developers.openai.com/api/docs/models/gpt-6.1-terra
const terra = { input: 1, cached: 0.05, cache_write: 1.25, output: 5 }
export const defaultPrices: Prices = { 'gpt-6.1-terra': terra, '*': terra }

/** Parse the price table of the settings. */
export const PriceTable = z.string().transform((text, ctx): Prices => {
  try {
    return Prices.parse(JSON.parse(text))
  } catch {
    ctx.addIssue({
      code: 'custom',
      message: 'must be a JSON object of {input, cached, cache_write, output} by model, with `*`',
    })
    return z.NEVER
  }
})

/** Return the cost in micro-dollars, rounded up. A dollar per million tokens is a micro-dollar per token. */
export function computeCost(
  prices: Prices,
  model: string,
  { input, cached, cacheWrites, output }: TokenUsage,
): number {
  const price = prices[model] ?? prices['*']
  const uncached = Math.max(0, input - cached - cacheWrites)
  const cost =
    uncached * price.input +
    cached * (price.cached ?? price.input) +
    cacheWrites * (price.cache_write ?? price.input) +
    output * price.output
  // Sums of decimal prices are not exact: 0.1 + 0.2 must not round up to one more.
  return Math.max(0, Math.ceil(cost - 1e-6))
}
