import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import { describeIssues, listWithItem, TourError } from './expectations.ts'

interface ServerEvent {
  event: string
  data: unknown
}

export interface EventStream {
  /** Wait for the first event that fits the schema. */
  waitFor<T>(event: z.ZodType<T>, description: string, timeoutMs: number): Promise<T>
  close(): void
}

const pollMs = 100

/** Parse the complete events of a text/event-stream body, ignoring comments. */
export function parseEvents(text: string): ServerEvent[] {
  const blocks = text.split('\n\n').slice(0, -1)
  return blocks.flatMap((block) => {
    const [event, data] = ['event', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1])
    return event && data ? [{ event, data: JSON.parse(data) as unknown }] : []
  })
}

/** Open a stream and collect its events until it is closed. */
export async function openEventStream(url: string, accessToken: string): Promise<EventStream> {
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'text/event-stream' }
  const response = await fetch(url, { headers, signal: controller.signal })
  if (response.status !== 200) throw new TourError(`GET ${url} returned ${response.status}, expected 200`)
  let text = ''
  // The error of a broken stream is ignored, because `waitFor` reports the missing event.
  void readChunks(response, (chunk) => {
    text += chunk
  }).catch(() => {})
  return {
    close: () => controller.abort(),
    async waitFor(event, description, timeoutMs) {
      for (const deadline = Date.now() + timeoutMs; ; await sleep(pollMs)) {
        const found = listWithItem(event, description).safeParse(parseEvents(text))
        if (found.success) return found.data
        if (Date.now() >= deadline) throw new TourError(`GET ${url}: ${describeIssues(found.error)} (waited ${timeoutMs / 1000} s)`)
      }
    },
  }
}

async function readChunks(response: Response, append: (chunk: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) append(decoder.decode(chunk, { stream: true }))
}
