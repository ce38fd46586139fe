import { describe, expect, it } from 'vitest'
import { isOneSegment, writeSms } from '#rules/text/sms.ts'

const link = 'https://app.supportflow.example/pilot/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15?pickup=true'

describe('writeSms', () => {
  it('PHO-10 writes one segment: 160 GSM characters, of which some take two, or 70 of others', () => {
    expect(isOneSegment('a'.repeat(160))).toBe(true)
    expect(isOneSegment('a'.repeat(161))).toBe(false)
    expect(isOneSegment('€'.repeat(80))).toBe(true)
    expect(isOneSegment('€'.repeat(81))).toBe(false)
    expect(isOneSegment('ж'.repeat(70))).toBe(true)
    expect(isOneSegment('ж'.repeat(71))).toBe(false)
    expect(isOneSegment('😀'.repeat(36))).toBe(false)
  })

  it('PHO-10 cuts behind a word and keeps the address, and never splits a character', () => {
    const long = 'VPN drops every few minutes for the whole branch office since the update of the firewall '
    expect(writeSms(long, link)).toBe(
      `VPN drops every few minutes for the whole branch office since the...\n${link}`,
    )
    expect(writeSms('VPN drops', link)).toBe(`VPN drops\n${link}`)
    expect(writeSms('Короткий текст', link)).toBe('Короткий текст')
    expect(writeSms('😀'.repeat(50))).toBe(`${'😀'.repeat(33)}...`)
    expect(writeSms('“VPN” – it’s down…\nNow')).toBe('"VPN" - it\'s down... Now')
  })

  it('PHO-10 writes one segment of any text', () => {
    const characters = ['a', ' ', 'ß', '€', '[', 'ж', '😀', '\n', '“', '漢', '\u0000']
    let seed = 7
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed
    }
    for (let n = 0; n < 500; n++) {
      const kinds = 1 + (next() % characters.length)
      const text = Array.from({ length: next() % 400 }, () => characters[next() % kinds]).join('')
      for (const url of [null, link]) {
        const written = writeSms(text, url)
        expect(isOneSegment(written), written).toBe(true)
        expect(written.isWellFormed()).toBe(true)
      }
    }
  })
})
