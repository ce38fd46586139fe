// @module-tag mechanism
import { describe, expect, it } from 'vitest'
import { ApiError, isApiError, readApiError } from '#client/api-error.ts'
import type { ServerEvent } from '#client/call-types.ts'
import { parseEvents } from '#client/parse-events.ts'
import { wait } from '#client/wait.ts'

describe('readApiError', () => {
  it.each<[string, object]>([
    [
      '{"detail":"No","code":"a","errors":[{"loc":[]}],"x":1}',
      { message: 'No', code: 'a', errors: [{ loc: [] }] },
    ],
    ['{"error":"b"}', { message: 'The service answered 418', code: 'b', errors: [], body: { error: 'b' } }],
    ['{"code":"a","error":"b"}', { code: 'a' }],
    ['{"detail":1,"code":1,"errors":{}}', { message: 'The service answered 418', code: null, errors: [] }],
    ['null', { body: {}, code: null }],
    ['"text"', { body: {} }],
    ['<html>', { body: {}, requestId: null, retryAfterMs: null }],
  ])('reads the body %s', async (body, expected) => {
    const error = await readApiError(new Response(body, { status: 418 }))
    expect(error).toMatchObject({ name: 'ApiError', status: 418, ...expected })
    expect([isApiError(error), isApiError(new Error('No'))]).toEqual([true, false])
  })

  it.each([
    ['0', 0],
    ['7', 7000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', null],
  ])('reads the Retry-After header %j as %j ms', (value, ms) => {
    const headers = new Headers({ 'retry-after': value, 'x-request-id': 'r' })
    expect(new ApiError(429, {}, headers)).toMatchObject({ retryAfterMs: ms, requestId: 'r' })
  })

  it('reads a Retry-After header with a date as the time until then', () => {
    const headers = new Headers({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
    const { retryAfterMs } = new ApiError(503, {}, headers)
    expect([retryAfterMs, (retryAfterMs ?? 0) > 50_000 && (retryAfterMs ?? 0) <= 60_000]).toEqual([
      expect.any(Number),
      true,
    ])
  })
})

describe('parseEvents', () => {
  const listEvents = async (...args: Parameters<typeof parseEvents>) => {
    const events: ServerEvent[] = []
    for await (const event of parseEvents(...args)) events.push(event)
    return events
  }
  const read = async (...chunks: string[]) => {
    const state = { lastEventId: '', retryMs: 1 }
    const stream = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
        controller.close()
      },
    })
    const events = await listEvents(new Response(stream), state)
    return { events: events.map(({ id, event, data }) => [id, event, data]), ...state }
  }

  it.each<[string[], unknown[][]]>([
    [['data: 1\n\n'], [['', 'message', 1]]],
    [
      ['data:{"a":1}\n\ndata: x y\n\n'],
      [
        ['', 'message', { a: 1 }],
        ['', 'message', 'x y'],
      ],
    ],
    [
      ['event: a\nid: 5\ndata: 1\n\ndata: 2\n\n'],
      [
        ['5', 'a', 1],
        ['5', 'message', 2],
      ],
    ],
    [['data: a\ndata:  b\ndata\n\n'], [['', 'message', 'a\n b\n']]],
    [['event: a\n\ndata: 1\n\n'], [['', 'message', 1]]],
    [[': comment\ndatax: 1\n\n'], []],
    [['data: 1\n'], []],
    [
      ['da', 'ta: 1\r', '\n\r\ndata: 2\r\r', 'data: 3\n\n'],
      [
        ['', 'message', 1],
        ['', 'message', 2],
        ['', 'message', 3],
      ],
    ],
    [['data: a:b: c\n\n'], [['', 'message', 'a:b: c']]],
    [['id: 5\n\nid\ndata: 1\n\n'], [['', 'message', 1]]],
    [['id: 5\nid: a\u0000b\ndata: 1\n\n'], [['5', 'message', 1]]],
  ])('reads of %j the events %j', async (chunks, events) => {
    expect((await read(...chunks)).events).toEqual(events)
  })

  it('stores the last id and the time until the next connection', async () => {
    expect(await read('id: 5\nretry: 20\n\nretry: 3s\nretry: -1\n\n')).toEqual({
      events: [],
      lastEventId: '5',
      retryMs: 20,
    })
  })

  it('reads nothing of a response without a body', async () => {
    expect(await listEvents(new Response(null), { lastEventId: '', retryMs: 1 })).toEqual([])
  })
})

describe('wait', () => {
  it('rejects with the reason of a signal, before and during the time', async () => {
    const reason = new Error('Stopped')
    await expect(wait(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
    const controller = new AbortController()
    const waiting = wait(60_000, controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it('ends after the time, with and without a signal', async () => {
    expect([await wait(1, undefined), await wait(1, new AbortController().signal)]).toEqual([
      undefined,
      undefined,
    ])
  })
})
