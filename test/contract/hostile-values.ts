import fc from 'fast-check'

// biome-ignore format: one list of texts that have broken something somewhere
const hostileTexts = [
  '', ' ', '\t\n', 'null', 'undefined', 'NaN', 'Infinity', "'", '"', '`', "' or 1=1 --", "'; drop table users; --", '%', '_', '\\', '%_\\%',
  '\u0000', 'a\u0000b', '\ud800', 'x\udfff', '\u202etxt.exe', '\u200b', '\ufeff', 'مرحبا', '👩‍👩‍👧‍👦', 'e\u0301'.repeat(50), `\${7*7}`, '{{7*7}}', '<%= 7 %>', '#{7}',
  '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '../../../../etc/passwd', '..\\..\\windows', 'file:///etc/passwd', 'http://169.254.169.254/',
  'https://localhost/', 'https://[::1]/', 'javascript:alert(1)', '__proto__', 'constructor', 'toString', '$&$1', '%00', '%zz', '%c0%ae', 'a@b', 'a@b.c\r\nBcc: x@y.z',
  '\r\nSet-Cookie: a=b', 'x'.repeat(201), 'x'.repeat(10_000), 'ß'.repeat(25_000), '1e999', '0x10', '-0', '2026-02-30T25:61:61Z', '\\u0000', '{"a":1}', '[]',
]
export const extremeNumbers = [
  0,
  -0,
  -1,
  1.5,
  101,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  2 ** 63,
  1e308,
  -1e308,
  5e-324,
]

export const hostileText = fc.oneof(
  fc.constantFrom('a\u0000b', '\u0000', 'a\ud800', '\udfffb'),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...extremeNumbers) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: {} }, ['x', 'x']),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

const nestBrackets = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)
export const rawBodies = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{',
    '[',
    '}',
    '{"a":',
    '{"a":1,}',
    "{'a':1}",
    'null',
    'true',
    '7',
    '"text"',
    '[]',
    '{}',
    '{}{}',
    'NaN',
    '\ufeff{}',
    '{"__proto__":{"x":1}}',
  ),
  fc.constantFrom(
    '{"a":1e999}',
    `{"a":${'9'.repeat(400)}}`,
    '{"a":"\\u0000"}',
    '{"\\u0000":1}',
    '{"a":"\\ud800"}',
    '{"a":1,"a":2}',
  ),
  fc.constantFrom(
    nestBrackets(33, '[', ']'),
    nestBrackets(2000, '[', ']'),
    '['.repeat(2000),
    `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
    nestBrackets(32, '[', ']'),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
