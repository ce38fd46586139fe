import { expect, it } from 'vitest'
import { lazyPort } from '#vendors/lazy-port.ts'

interface Greeter {
  readonly language: string
  greet(name: string): Promise<string>
}

function createGreeter(failures = 0) {
  const loads: string[] = []
  const load = async (): Promise<Greeter> => {
    loads.push('load')
    if (loads.length <= failures) throw new Error('cannot load')
    return { language: 'en', greet: async (name) => `Hello ${name}` }
  }
  return { loads, greeter: lazyPort(load, { language: 'en' }) }
}

it('loads the port once, with the first call of an async method', async () => {
  const { loads, greeter } = createGreeter()
  expect([greeter.language, loads]).toEqual(['en', []])
  expect([await greeter.greet('Ada'), await greeter.greet('Bo'), loads]).toEqual([
    'Hello Ada',
    'Hello Bo',
    ['load'],
  ])
})

it('loads the port again after a load that failed', async () => {
  const { loads, greeter } = createGreeter(1)
  await expect(greeter.greet('Ada')).rejects.toThrow('cannot load')
  expect([await greeter.greet('Ada'), loads.length]).toEqual(['Hello Ada', 2])
})

it('does not load the port when a promise resolves to it', async () => {
  const { loads, greeter } = createGreeter()
  expect([(await greeter).language, loads]).toEqual(['en', []])
})

it('needs every member that is not an async method at once', () => {
  const load = async (): Promise<Greeter> => createGreeter().greeter
  // @ts-expect-error `language` cannot wait for the load.
  expect(lazyPort(load, {})).toBeTypeOf('object')
})
