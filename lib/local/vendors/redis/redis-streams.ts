// ioredis-mock stores streams without checking their ids, so they are emulated here.

/** Read and write the texts of ioredis-mock, by key. */
export interface StoreTexts {
  get(key: string): Promise<string | null>
  set(key: string, text: string): Promise<unknown>
}

type Id = [ms: number, sequence: number]
type Entry = [id: string, fields: string[]]
interface Stream {
  lastId: Id
  entries: Entry[]
}

const marker = '\u0000stream '
const syntaxError = () => new Error('ERR syntax error')

interface Streams {
  /** Return the stream of a key, an empty one if the key does not exist. */
  find(key: string): Promise<Stream>
  /** Return the stream of a key for writing. */
  findOrCreate(key: string): Promise<Stream>
}
type StreamCommand = (streams: Streams, args: string[]) => Promise<unknown>

const commands: Record<string, StreamCommand> = {
  xadd: addEntry,
  xlen: async (streams, [key = '']) => (await streams.find(key)).entries.length,
  xrange: (streams, [key = '', from = '', to = '', ...options]) =>
    selectRange(streams, key, { from, to, isReversed: false }, options),
  xrevrange: (streams, [key = '', to = '', from = '', ...options]) =>
    selectRange(streams, key, { from, to, isReversed: true }, options),
  xread: readNewEntries,
}

/**
 * Return a function that finds the command of streams with a lower-case name. The streams exist as long as
 * their keys in the store.
 */
export function createStreamCommands(
  texts: StoreTexts,
): (name: string) => ((args: string[]) => Promise<unknown>) | undefined {
  const streams = createStreams(texts)
  return (name) => {
    const command = commands[name]
    return command && ((args) => command(streams, args))
  }
}

/** The store has a text of its own for each stream, so that DEL, EXPIRE and FLUSHALL apply to it. */
function createStreams(texts: StoreTexts): Streams {
  const streamsByKey = new Map<string, { text: string; stream: Stream }>()
  let created = 0
  const find = async (key: string): Promise<Stream | undefined> => {
    const text = await texts.get(key)
    if (text !== null && !text.startsWith(marker))
      throw new Error('WRONGTYPE Operation against a key holding the wrong kind of value')
    const stored = streamsByKey.get(key)
    if (stored && stored.text === text) return stored.stream
    streamsByKey.delete(key)
    return undefined
  }
  return {
    find: async (key) => (await find(key)) ?? { lastId: [0, 0], entries: [] },
    async findOrCreate(key) {
      const existing = await find(key)
      if (existing) return existing
      const stored = { text: `${marker}${++created}`, stream: { lastId: [0, 0], entries: [] } as Stream }
      streamsByKey.set(key, stored)
      await texts.set(key, stored.text)
      return stored.stream
    },
  }
}

async function addEntry(streams: Streams, [key = '', ...args]: string[]): Promise<string> {
  const { maxLength, rest } = readTrimming(args)
  const [idText = '', ...fields] = rest
  if (fields.length === 0 || fields.length % 2 === 1)
    throw new Error("ERR wrong number of arguments for 'xadd' command")
  const { lastId } = await streams.find(key)
  const id = chooseId(idText, lastId)
  if (compareIds(id, lastId) <= 0)
    throw new Error('ERR The ID specified in XADD is equal or smaller than the target stream top item')
  const stream = await streams.findOrCreate(key)
  stream.lastId = id
  stream.entries.push([id.join('-'), fields])
  stream.entries.splice(0, Math.max(0, stream.entries.length - maxLength))
  return id.join('-')
}

function readTrimming(args: string[]): { maxLength: number; rest: string[] } {
  if (args[0]?.toUpperCase() !== 'MAXLEN') return { maxLength: Number.POSITIVE_INFINITY, rest: args }
  const at = args[1] === '=' || args[1] === '~' ? 2 : 1
  const maxLength = Number(args[at])
  if (!Number.isInteger(maxLength) || maxLength < 0)
    throw new Error('ERR value is not an integer or out of range')
  return { maxLength, rest: args.slice(at + 1) }
}

function chooseId(text: string, [lastMs, lastSequence]: Id): Id {
  if (text !== '*') return parseId(text, 0)
  const now = Date.now()
  return now > lastMs ? [now, 0] : [lastMs, lastSequence + 1]
}

function parseId(text: string, defaultSequence: number): Id {
  const [, ms, sequence] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? []
  if (ms === undefined) throw new Error('ERR Invalid stream ID specified as stream command argument')
  return [Number(ms), sequence === undefined ? defaultSequence : Number(sequence)]
}

const compareIds = (a: Id, b: Id) => a[0] - b[0] || a[1] - b[1]

/** Parse an end of a range: `-`, `+`, or an id, which `(` excludes. */
function parseBound(text: string, defaultSequence: number): { id: Id; isExcluded: boolean } {
  if (text === '-') return { id: [0, 0], isExcluded: false }
  if (text === '+') return { id: [Number.POSITIVE_INFINITY, 0], isExcluded: false }
  const isExcluded = text.startsWith('(')
  return { id: parseId(isExcluded ? text.slice(1) : text, defaultSequence), isExcluded }
}

interface Range {
  from: string
  to: string
  isReversed: boolean
}

async function selectRange(
  streams: Streams,
  key: string,
  { from, to, isReversed }: Range,
  options: string[],
): Promise<Entry[]> {
  const count = readCount(options)
  const [first, last] = [parseBound(from, 0), parseBound(to, Number.POSITIVE_INFINITY)]
  const { entries } = await streams.find(key)
  const selected = entries.filter(([text]) => {
    const id = parseId(text, 0)
    const [fromFirst, fromLast] = [compareIds(id, first.id), compareIds(id, last.id)]
    return (
      (first.isExcluded ? fromFirst > 0 : fromFirst >= 0) && (last.isExcluded ? fromLast < 0 : fromLast <= 0)
    )
  })
  return (isReversed ? selected.reverse() : selected).slice(0, count)
}

function readCount(options: string[]): number {
  if (options.length === 0) return Number.POSITIVE_INFINITY
  const count = Number(options[1])
  if (options.length !== 2 || options[0]?.toUpperCase() !== 'COUNT' || !Number.isInteger(count))
    throw syntaxError()
  return count
}

/** Run XREAD without BLOCK: the entries after an id of each stream, or null if there are none. */
async function readNewEntries(streams: Streams, args: string[]): Promise<[string, Entry[]][] | null> {
  const at = args.findIndex((argument) => argument.toUpperCase() === 'STREAMS')
  const keysAndIds = args.slice(at + 1)
  if (at < 0 || keysAndIds.length === 0 || keysAndIds.length % 2 === 1) throw syntaxError()
  const options = args.slice(0, at)
  const keyCount = keysAndIds.length / 2
  const results: [string, Entry[]][] = []
  for (const [i, key] of keysAndIds.slice(0, keyCount).entries()) {
    const range = { from: `(${keysAndIds[keyCount + i]}`, to: '+', isReversed: false }
    const entries = await selectRange(streams, key, range, options)
    if (entries.length > 0) results.push([key, entries])
  }
  return results.length > 0 ? results : null
}
