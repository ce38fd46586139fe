import type { CachePort } from '#vendors/cache/cache.ts'

interface Entry {
  json: string
  until: number
}

/**
 * Create a cache in this process, of at most `maxEntries` values and `maxCharacters` of JSON. The values that
 * were read least recently go first.
 */
export function createMemoryCache(maxEntries = 10_000, maxCharacters = 16_000_000): CachePort {
  // In the order of their last use.
  const entries = new Map<string, Entry>()
  let characters = 0
  const forget = (key: string) => {
    characters -= entries.get(key)?.json.length ?? 0
    entries.delete(key)
  }
  return {
    async get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.until <= Date.now()) {
        forget(key)
        return undefined
      }
      entries.delete(key)
      entries.set(key, entry)
      return JSON.parse(entry.json)
    },
    async set(key, value, seconds) {
      forget(key)
      // As in Redis, a value is a copy that later changes do not reach.
      const json = JSON.stringify(value)
      if (json.length > maxCharacters) return
      entries.set(key, { json, until: Date.now() + seconds * 1000 })
      characters += json.length
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && characters <= maxCharacters) break
        forget(oldest)
      }
    },
    async delete(key) {
      forget(key)
    },
  }
}
