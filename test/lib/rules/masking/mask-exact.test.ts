import { describe, expect, it } from 'vitest'
import { maskSecrets } from '#rules/masking/mask-secrets.ts'
import { maskTables } from '#rules/masking/mask-tables.ts'
import { isSecretLabel, looksSecret } from '#rules/masking/secret-labels.ts'
import { mask } from '#test/support/with-budget.ts'

const secret = '[masked secret]'
const ip = '[masked IP]'

describe('mask', () => {
  it.each([
    ['ping fe80::', `ping ${ip}`],
    ['ping fe80::1: ok', `ping ${ip}: ok`],
    ['ping fe80::: ok', `ping ${ip}: ok`],
    ['ping 1:2:3:4:5:6:7:8', `ping ${ip}`],
    ['ping 1:2:3:4:5:6:7:8:443', `ping ${ip}`],
    ['ping 2001:db8:1:2:3:4:5:6:50000', `ping ${ip}`],
    ['ping 2001:db8:1:2:3:4:5:6:500000', 'ping 2001:db8:1:2:3:4:5:6:500000'],
    ['ping 1:2:3:4:5:6:7::8', `ping ${ip}`],
    ['ping 1:2:3:4:5:6:7:8::9', 'ping 1:2:3:4:5:6:7:8::9'],
    ['ping 1::2::3', 'ping 1::2::3'],
  ])('masks the IPv6 addresses of %j as %j', (text, masked) => {
    expect(mask(text)).toBe(masked)
  })

  it.each([
    ['at 203.0.113.7', `at ${ip}`],
    ['at 203.0.113.7.53', 'at 203.0.113.7.53'],
    ['at 203.0.113.7.255', 'at 203.0.113.7.255'],
    ['at 203.0.113.7.256', `at ${ip}`],
    ['at 10.0.8.21.53', `at ${ip}`],
    ['at 10.0.8.0/24', `at ${ip}`],
    ['at 10.0.8/24', `at ${ip}`],
    ['at 10.0.8', 'at 10.0.8'],
    ['at 192.168.1', `at ${ip}`],
    ['at 192.169.1', 'at 192.169.1'],
    ['at 203.0.113.256', 'at 203.0.113.256'],
    ['version 172.15.0.1', 'version 172.15.0.1'],
    ['version 172.16.0.1', `version ${ip}`],
    ['version 172.31.0.1', `version ${ip}`],
    ['version 172.32.0.1', 'version 172.32.0.1'],
    ['version 169.254.0.1', `version ${ip}`],
    ['version 169.253.0.1', 'version 169.253.0.1'],
    ['version 127.0.0.1', `version ${ip}`],
    ['Az.Accounts 2.12.1.0', 'Az.Accounts 2.12.1.0'],
    ['PSWindowsUpdate 2.2.1.4', 'PSWindowsUpdate 2.2.1.4'],
    ['www.example 203.0.113.7', `www.example ${ip}`],
    ['FortiGate 203.0.113.7', `FortiGate ${ip}`],
  ])('masks the IPv4 addresses of %j as %j', (text, masked) => {
    expect(mask(text)).toBe(masked)
  })
})

describe('maskSecrets', () => {
  it.each([
    ['password: "expired"', 'password: "expired"'],
    ['password: "rosebud"', `password: ${secret}`],
    ['The password is "rosebud"', `The password is ${secret}`],
    ['The password is "expired"', 'The password is "expired"'],
    ['changed the password from rosebud7! to marigold8!', `changed the password from ${secret} to ${secret}`],
    ['changed the password from rosebud7! to something', `changed the password from ${secret} to something`],
    ['hunter2! is the password', `${secret} is the password`],
    ['482913 is your verification code', `${secret} is your verification code`],
    ['G-482913 is your verification code', `${secret} is your verification code`],
    ['Sunday is the password', 'Sunday is the password'],
    ['wifi guest, key: rosebud77', `wifi guest, key: ${secret}`],
    ['wifi guest, key: rosebuds', 'wifi guest, key: rosebuds'],
    ['u: dana p: rosebud77', `u: dana p: ${secret}`],
    ['u: dana p: rosebuds', 'u: dana p: rosebuds'],
    ['Passphrase: correct horse battery staple', `Passphrase: ${secret}`],
    ['WiFi password: blue tiger 42 moon, ask Tom', `WiFi password: ${secret}, ask Tom`],
    ['wpa_passphrase=correct horse battery\nssid=x', `wpa_passphrase=${secret}\nssid=x`],
    ['{"passphrase": "correct horse battery"}', `{"passphrase": ${secret}}`],
    ['Passphrase: forgotten by the user', 'Passphrase: forgotten by the user'],
    ['password: Winter2026! for the admin account', `password: ${secret} for the admin account`],
    ['TOTP seed: JBSW Y3DP EHPK 3PXP', `TOTP seed: ${secret}`],
    [
      'recovery password: 123456 234567 345678 456789 567890 678901 789012 890123',
      `recovery password: ${secret}`,
    ],
    ['123456 – 234567 – 345678 – 456789 – 567890 – 678901 – 789012 – 890123', secret],
    ['His new password will be Autumn-44', `His new password will be ${secret}`],
    ['Password:\n\nMarble_19', `Password:\n\n${secret}`],
    ['client secret value: 7-Kq~x9Wz', `client secret value: ${secret}`],
    ['racadm -r h -u root -p rosebud get', `racadm -r h -u root -p ${secret} get`],
    ['rasdial "VPN" bob rosebud', `rasdial "VPN" bob ${secret}`],
    ['admin:admin123@10.0.0.1', `admin:${secret}@10.0.0.1`],
    ['Mật khẩu: rosebud', `Mật khẩu: ${secret}`],
    ['password hash sync is enabled', 'password hash sync is enabled'],
    ['ThisIsAVeryLongCamelCaseIdentifierName2', 'ThisIsAVeryLongCamelCaseIdentifierName2'],
    ['mountain pass: closed', 'mountain pass: closed'],
    ['hot key: Ctrl+F5', 'hot key: Ctrl+F5'],
    ['credentials: cached', 'credentials: cached'],
  ])('SES-41 masks %j as %j', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked)
  })

  const body = 'MIIBVgIBADANBgkqhkiG9w0BAQEFAASC'
  const begin = '-----BEGIN PRIVATE KEY-----'
  const end = '-----END PRIVATE KEY-----'
  it.each([
    [`a\n${begin}\n${body}\n${end}\nb`, `a\n${secret}\nb`],
    [`${begin}\n${body}\n${end}\nb\n${begin}\n${body}\n${end}\nc`, `${secret}\nb\n${secret}\nc`],
    [`${begin}\n${body}\n${end}\nb c.\n${begin}\n${body}\n\nd e.`, `${secret}\nb c.\n${secret}d e.`],
    [`${begin}\n${body}\nb c.\n${begin}\n${body}\nd e.`, `${secret}b c.\n${secret}d e.`],
    [`${begin}\n${body}`, secret],
  ])('SES-41 masks the PEM blocks of %j', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked)
  })
})

it.each([
  [
    '  User    Password\n  ----    --------\n  dana    rosebud',
    `  User    Password\n  ----    --------\n  dana    ${secret}`,
  ],
  [
    '  Password    User\n  --------    ----\n  rosebud     dana',
    `  Password    User\n  --------    ----\n  ${secret}     dana`,
  ],
])('SES-41 masks the column of the indented table %j', (text, masked) => {
  expect(maskTables(text)).toBe(masked)
})

it.each([
  [`${'a '.repeat(56)}password`, true],
  [`${'a '.repeat(56)} password`, false],
  ['compass', false],
  ['jwtSecret', true],
  ['token_type', false],
])('isSecretLabel returns for %j: %s', (text, expected) => {
  expect(isSecretLabel(text)).toBe(expected)
})

it.each([
  ['abc', false],
  ['ab1', false],
  ['abc1', true],
  [`${'a'.repeat(199)}1`, true],
  [`${'a'.repeat(200)}1`, false],
  ['abc!', true],
  ['abcd', false],
  ['12:30', false],
  ['v1.2.3', false],
  ['250gb', false],
  ['0x1f2e', false],
  ['kb5034441', false],
  ['two words1', false],
  ['https://a.example/1', false],
  ['C:\\temp1', false],
  ['--force1', false],
  ['1234!', false],
])('looksSecret returns for %j: %s', (text, expected) => {
  expect(looksSecret(text)).toBe(expected)
})
