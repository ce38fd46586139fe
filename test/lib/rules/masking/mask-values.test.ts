import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { maskReport } from '#rules/exports/mask.ts'
import { maskStored } from '#rules/masking/mask.ts'
import { maskTables } from '#rules/masking/mask-tables.ts'
import { maskValues } from '#rules/masking/mask-values.ts'
import { redact } from '#rules/masking/redaction.ts'
import { createReport } from '#test/support/report.ts'

describe('redact', () => {
  it.each([
    [{ known: [{ key: 'API key', value: '9f8e7d6c5b4a' }] }],
    [{ steps: [{ kind: 'question', text: 'What is the password?', response: 'correcthorse' }] }],
    [{ variables: { admin_password: 'rosebud77x' } }],
    [{ ticket: { passwords: ['rosebud77x', 'rosebud78x'] } }],
    [{ known: [{ key: 'Door PIN', value: 4821 }] }],
  ])('SES-40 masks %j, in which the label is beside the secret', (facts) => {
    const text = JSON.stringify(redact(facts, 'secrets'))
    expect(text).toContain('[masked secret]')
    expect(text).not.toMatch(/9f8e|horse|rosebud|4821/)
  })

  it.each([
    [{ known: [{ key: 'Password', value: 'expired yesterday' }] }],
    [{ known: [{ key: 'Floor', value: '9f8e7d6c5b4a' }] }],
    [{ known: [{ key: 'Knows the password', value: 'yes' }] }],
    [{ password_policy: 'strict', token_count: 812 }],
  ])('SES-40 does not change %j', (facts) => {
    expect(redact(facts, 'secrets')).toEqual(facts)
  })

  it('changes nothing at the level none', () => {
    const facts = { known: [{ key: 'API key', value: '9f8e7d6c5b4a' }] }
    expect(redact(facts, 'none')).toEqual(facts)
  })
})

describe('maskReport', () => {
  it('SES-40 masks the values of labelled facts, and snippets with the title of a secret', async () => {
    const report = await runWithin(createBudget(), () =>
      maskReport(
        createReport({
          variables: [{ label: 'API key', value: '9f8e7d6c5b4a' }],
          evidence: [
            { kind: 'text', title: 'Initial password', content: 'sunflower', image: null },
            { kind: 'text', title: 'Recovery codes', content: '1a2b3-c4d5e\nf6a7b-8c9d0', image: null },
          ],
        }),
        maskStored,
      ),
    )
    expect(report.variables).toEqual([{ label: 'API key', value: '[masked secret]' }])
    expect(report.evidence.map(({ content }) => content)).toEqual([
      '[masked secret]',
      '[masked secret]\n[masked secret]',
    ])
  })
})

describe('maskReport fails', () => {
  it('SES-25 when a text cannot be masked, with an error that does not quote the text', async () => {
    const fail = (text: string): never => {
      throw new TypeError(text)
    }
    const report = createReport({ notes: 'password: Sommer!9x' })
    await expect(runWithin(createBudget(), () => maskReport(report, fail))).rejects.toThrow(
      /^Masking failed: TypeError$/,
    )
  })
})

describe('maskValues', () => {
  const maskText = (text: string) => `<${text}>`
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}x`).join(' ')

  it.each([
    [{ password: 'a'.repeat(500) }, { password: '[masked secret]' }],
    [{ password: 'a'.repeat(501) }, { password: `<${'a'.repeat(501)}>` }],
    [{ password: words(4) }, { password: '[masked secret]' }],
    [{ password: words(5) }, { password: `<${words(5)}>` }],
    [{ password: 'expired' }, { password: '<expired>' }],
    [{ pin: 123 }, { pin: '[masked secret]' }],
    [{ pin: 12 }, { pin: 12 }],
    [{ room: 123 }, { room: 123 }],
    [
      { label: 'Door PIN', value: ['4821', null, true], unit: 'x' },
      { label: '<Door PIN>', value: ['[masked secret]', null, true], unit: '<x>' },
    ],
    [
      { label: 'Floor', name: 'Password', notes: 'rosebud77x' },
      { label: '<Floor>', name: '<Password>', notes: '[masked secret]' },
    ],
  ])('SES-40 masks %j as %j', (value, masked) => {
    expect(maskValues(value, maskText)).toEqual(masked)
  })
})

describe('maskTables', () => {
  const secret = '[masked secret]'
  it.each([
    [
      '| User | Password |\n| --- | --- |\n| dana | rosebud |',
      `| User | Password |\n| --- | --- |\n| dana | ${secret} |`,
    ],
    ['| User | Password |\n| dana | rosebud |', '| User | Password |\n| dana | rosebud |'],
    ['user;password\ndana;rosebud', `user;password\ndana;${secret}`],
    ['user;password\ndana;rosebud\n\ndana;rosebud', `user;password\ndana;${secret}\n\ndana;rosebud`],
    ['user;password\ndana;rosebud;x', 'user;password\ndana;rosebud;x'],
    ['user,password\n"a,b",rosebud', `user,password\n"a,b",${secret}`],
    ['user,room\ndana,rosebud', 'user,room\ndana,rosebud'],
    ['rosebud77x;password\ndana;rosebud', 'rosebud77x;password\ndana;rosebud'],
    ['password\nrosebud', 'password\nrosebud'],
    ['| Password | rosebud |', `| Password | ${secret} |`],
    ['Password | rosebud', 'Password | rosebud'],
    ['Password | rosebud77x', `Password | ${secret}`],
    ['Password\trosebud', `Password\t${secret}`],
    ['rosebud\tPassword', 'rosebud\tPassword'],
    [
      'User    Password\n----    --------\ndana    rosebud',
      `User    Password\n----    --------\ndana    ${secret}`,
    ],
    ['User    Room\n----    ----\ndana    rosebud', 'User    Room\n----    ----\ndana    rosebud'],
  ])('SES-41 masks %j as %j', (text, masked) => {
    expect(maskTables(text)).toBe(masked)
  })

  it('SES-41 masks a value beside its label in rows of up to 60 cells', () => {
    const createRow = (cells: number, first = 'rosebud') =>
      ['Password', first, ...Array.from({ length: cells - 2 }, () => 'b')].join('\t')
    expect(maskTables(createRow(60))).toBe(createRow(60, secret))
    expect(maskTables(createRow(61))).toBe(createRow(61))
  })
})

describe('the columns of a table', () => {
  const createRow = (first: string, count: number) =>
    [first, ...Array.from({ length: count - 1 }, (_, n) => `c${n}`)].join(',')

  it.each([
    [60, 'password', 'hunter22'],
    [61, 'password', 'hunter22'],
    [70, 'password', 'hunter22'],
    [61, '"password"', '"hunter22"'],
  ])('SES-41 all stay when one of %i is masked: %s', (count, label, secret) => {
    const table = `${createRow(label, count)}\n${createRow(secret, count)}`
    expect(maskTables(table)).toBe(table.replace(secret, '[masked secret]'))
  })

  it('SES-41 are those of the header only in rows with as many cells', () => {
    expect(maskTables('password,user\nhunter22,ana\nhunter22,ana,x')).toBe(
      'password,user\n[masked secret],ana\nhunter22,ana,x',
    )
    expect(maskTables('password,user\nhunter22')).toBe('password,user\nhunter22')
  })
})
