import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startRelay } from '#local/vendors/relay.ts'

test('the relay keeps the order of what it delays when the fault "slow" ends', async () => {
  let received = ''
  const server = createServer((socket) =>
    socket.on('data', (chunk) => {
      received += chunk
    }),
  ).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const relay = await startRelay((server.address() as { port: number }).port)
  const client = connect(relay.port, '127.0.0.1').setNoDelay(true)
  onTestFinished(async () => {
    await relay.close()
    server.close()
  })
  client.write('a')
  await expect.poll(() => received).toBe('a')
  relay.setMode('slow', 200)
  client.write('b')
  await expect.poll(() => client.bytesWritten).toBe(2)
  // The relay reads each of them in a turn of its own.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  relay.setMode('open')
  client.write('c')
  await expect.poll(() => received).toBe('abc')
})
