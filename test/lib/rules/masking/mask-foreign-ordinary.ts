import { readOrdinaryLines } from './mask-lines.ts'

// Ordinary lines that look like those with secrets. Of the first 215, written before the rules for them,
// 12.56 % were changed; of the next 50, written after those rules, 4 %, and of the last 50 none.

export const foreignOrdinaryLines = readOrdinaryLines(`
Password hash sync is enabled on the second connector
Passphrase: she could not remember it, so we reset the token
Password: will be sent by text message
The new password will be shown only once
Passwords will be rotated on Friday
His password became invalid after the merge
Wifi password: see the sticker below the router
Password must be at least fourteen characters long
The password is going to expire in three days
Her password was reset yesterday and works
Recovery key: not found in the directory
BitLocker recovery key was uploaded to the tenant
Recovery key ID starts with the same eight characters
MFA secret could not be verified by the app
She lost the phone with her authenticator
The mountain pass: closed until April
Boarding pass: printed at the front desk
First pass: all disks are clean
hot key: Ctrl+Alt+F5
Shortcut key: Windows+L
Product key: entered by the vendor on site
Any key: press it to continue
Key: Enter
Primary key: customer_number
Sort key: created_at descending
Foreign key: order_id references orders
Public key: accepted by the server
Key size: 4096 bits
Key takeaways: patch earlier, test restores
credentials: cached
Credentials: expired, asked the user to sign in again
Access token: expired
Token lifetime: 3600 seconds
token count: 1842
Secret Santa list is pinned in the kitchen
Secret scanning is turned on for all repositories
PIN: forgotten, user must call the bank
Pin: connector 4 is bent
The pin header is labelled JP3
Door code: ask the facility manager
Error code: 0x80070005
Postal code: 70173 Stuttgart
Exit code: 137
Code: reviewed and merged
Login: works again after restart
Login: failed twice, then fine
User: unknown
login / logout loop on the start page
Creds for the NAS -> with Peter, ask him
the community string: changed last year by the provider
Pass the cable through the second opening
We will pass the ticket to network operations
Bypass: enabled for maintenance
Passive mode: on
auth: none
Authentication: required
authorization: pending approval by finance
session id: visible in the address bar
Seed: 8 peers connected
Community: 42 members joined this week
Signature: missing at the end of the mail
Az.Accounts 2.12.1.0 and Az.Storage 5.4.0 are installed
Microsoft.PowerShell.Management 7.0.0.0 Script
PSWindowsUpdate 2.2.1.4 is out of date
ThisIsAVeryLongCamelCaseIdentifierName2
updateCustomerInvoiceNumberSequenceGeneratorFactoryBean
TestShouldReturnNotFoundWhenTheOrderDoesNotExistV2
HKLM SOFTWARE Policies Microsoft WindowsUpdate AUOptionsValue4
MsMpEngineCloudBlockLevelHighPlusPolicyForWindows11Clients
Product: {90160000-008C-0000-1000-0000000FF1CE} is configured
Job 7f3d21ab finished after 00:14:22
ThinkPad T14 Gen 3, type 21AH00BCGE
Serial number: PF3XK9L2
Order 4500-1182-77 was delivered to the wrong floor
Phone +49 711 123456 is the hotline of the vendor
Meeting ID: 993 2210 4471
Ticket 881 204 is a duplicate
Asset tags 123456 234567 345678 were scanned today
Inventory numbers: 110682, 220473, 330264, 440055
Kennwortänderung beim nächsten Anmelden ist aktiviert
Kennwort: liegt im Tresor
Kennwort läuft in 14 Tagen ab
Das neue Kennwort wird per SMS geschickt
Passwort wurde zurückgesetzt und funktioniert wieder
Passwort: falsch eingegeben, Konto gesperrt
Passwort ist bekannt und wird nicht geändert
Der Schlüssel lautet anders als im Handbuch beschrieben
Schlüssel: Hausmeister fragen
WLAN-Schlüssel: steht auf der Rückseite des Routers
PIN-Eingabe am Drucker ist abgeschaltet
PIN: dreimal falsch, Karte gesperrt
Türcode: beim Empfang erfragen
Zugangsdaten: per Post verschickt
Zugangsdaten wurden von Herrn Maier übergeben
Anmeldung: mit Smartcard möglich
Geheimhaltung: Stufe zwei
Einmalkennwort kam nicht an
Code: siehe Anhang
Benutzer lager, Passwort unbekannt
Das PW ist leider abgelaufen
Einfügepass: erster Durchlauf ohne Fehler
Le mot de passe doit contenir douze caractères
Mot de passe : oublié, réinitialisation demandée
Mot de passe du wifi : voir le panneau à l'accueil
Le mot de passe sera envoyé par courrier
Son mot de passe est devenu invalide
mdp : à demander au responsable
Identifiants : transmis par téléphone
Le mot de passe a été changé par le prestataire
Clé de récupération : introuvable dans le portail
clé : remise au gardien
Clé USB : reconnue mais vide
Code postal : 69003 Lyon
Code d'erreur : 0x80070035
Code PIN : bloqué après trois essais
phrase secrète : trop courte selon la règle
Jeton : expiré
La contraseña caduca en tres días
Contraseña: olvidada, se envió un enlace
La nueva contraseña será enviada por correo
La contraseña pasa a ser obligatoria en todos los equipos
Clave: preguntar en recepción
Palabra clave: impresora
Claves: cinco consejos para trabajar mejor
usuario: desconocido
Cambié la contraseña de ventas a petición del jefe
Credenciales: caducadas
PIN: bloqueado
El código de la puerta es secreto y lo tiene el conserje
Código de error: 0x8007007e
Token: caducado
frase de contraseña: demasiado corta
Heslo vyprší za tři dny
Heslo: zapomenuté, poslán odkaz
Nové heslo bude zasláno poštou
Heslo jsem změnil na přání uživatele
Přihlašovací údaje: předány telefonicky
heslo je neplatné
Uživatel recepce, heslo neznámé
Kód chyby: 0x80070005
Kód: zkontrolován a nasazen
Klíč: na vrátnici
PIN: zablokovaný po třech pokusech
Obnovovací klíč: nenalezen
Hasło wygasa za trzy dni
Hasło: zapomniane, wysłano link
Nowe hasło to konieczność po incydencie
Hasło będzie wysłane pocztą
Zmieniłem hasło na prośbę użytkownika
login: niepoprawny
Dane logowania: przekazane telefonicznie
Klucz: u portiera
Klucz główny: identyfikator_klienta
PIN: zablokowany
Kod błędu: 0x80070005
Kod do drzwi zna portier
Mật khẩu: đã quên, cần đặt lại
Mật khẩu wifi là bí mật của công ty
mật khẩu mới sẽ được gửi qua tin nhắn
Đã đổi mật khẩu theo yêu cầu
tài khoản: bị khóa
Mã lỗi: 0x80070005
Mã PIN: nhập sai ba lần
racadm -r idrac7 -u root getsysinfo
ipmitool -I lanplus -H bmc7 chassis status
restic -r sftp:nas:/backup snapshots
restic --password-file /etc/restic/pw snapshots
rasdial "Head Office" /disconnect
cmdkey /list
mkdir -p reports/2026/november
ssh -p 2222 ops@gw
docker run -p 8080:80 nginx:1.27
cp -p settings.ini settings.bak
nmap -p 443 -Pn gw
ps -p 1 -o comm=
netstat -anp tcp
tar -xpf backup.tar -C restore
kubectl get secret db -o name
kubectl create secret generic db --from-file=pw.txt
openssl req -new -key server.key -out server.csr
gpg --list-secret-keys --keyid-format short
sudo passwd -S anna
net user helpdesk /active:no
net accounts /minpwlen:14
Get-ADUser anna -Properties PasswordLastSet, PasswordNeverExpires
Set-ADUser anna -ChangePasswordAtLogon $true
$cred = Get-Credential -Message 'Password of the domain account'
$secure = Read-Host -AsSecureString 'Password'
Get-Secret -Name SmtpPassword -Vault Ops
Get-Module Az.Resources -ListAvailable | Sort-Object Version
if ($pass -eq $null) { throw 'password missing' }
password = os.environ["DB_PASSWORD"]
DB_PASSWORD=$(cat /run/secrets/db)
password: "{{ vault_db_password }}"
  secretKeyRef: { name: db, key: password }
PasswordAuthentication no
PermitEmptyPasswords no
wpa_key_mgmt=WPA-PSK
key_mgmt=NONE
auth_algs=1
ssl_certificate_key /etc/nginx/tls/site.key;
password_encryption = scram-sha-256
requirepass is commented out
Nov 12 08:11:02 web1 sshd[881]: Failed password for invalid user oracle from gw port 50122 ssh2
Nov 12 08:11:03 web1 sudo: pam_unix(sudo:auth): authentication failure; logname=anna uid=1000
pam_unix(passwd:chauthtok): password changed for anna
An account failed to log on. Failure reason: unknown user name or bad password.
Event 4723: an attempt was made to change an account's password.
KDC_ERR_PREAUTH_FAILED: pre-authentication information was invalid
TLS handshake: no shared cipher, key exchange failed
token refresh failed: invalid_grant
<input type="password" name="password" autocomplete="new-password">
<PasswordPolicy minLength="12" history="24" />
{"password_required": true, "token_type": "bearer"}
{"error":"invalid_client","error_description":"client secret expired"}
The alarm code is changed every year by the facility team
Wifi password is printed on the receipt
Please send the password by separate mail
The passphrase has to contain five words
password will become mandatory for the guest network
BitLocker: waiting for activation on C
recovery key rotation is enabled
The key is under the mat
key: left at the reception desk
license key: purchased, waiting for the invoice
Token: please renew before Friday
token bucket: 200 requests
API token belongs to the integration user
Secret: rotated by the pipeline
PIN: sent by letter
credentials: wrong domain selected
Login: page loads slowly
login as guest is disabled
user: cannot print to tray 2
admin: please approve the request
Case 110682 220473 belongs to 330264
Microsoft.Graph.Users 2.19.0.0 was imported
PSReadLine 2.3.4.1 crashes on start
TheQuickMigrationHelperForLegacyMailboxes2
CreateScheduledTaskWithHighestPrivilegesOnServer2019
Das Passwort liegt im Safe der Buchhaltung
Passwort: Caps Lock war an
Kennwort: nie per Mail senden
Die PIN ist gesperrt, Bank informiert
Schlüssel: im Kasten neben der Tür
Zugangsdaten: folgen per Brief
Le mot de passe est trop court
Mot de passe : jamais par courriel
clé : dans le tiroir du bureau
Identifiants : créés hier
La contraseña está bloqueada
Contraseña: nunca por correo
Clave: la tiene el encargado
Heslo: nikdy neposílat mailem
Heslo je uloženo v trezoru
Klíč: visí vedle dveří
Hasło: nigdy nie wysyłać mailem
Hasło jest w sejfie
Mật khẩu: không gửi qua email
Mật khẩu được lưu trong két sắt
docker compose -p shop up -d
tar -cpf site.tar www
restic forget --keep-daily 7 --prune
Get-SecretInfo -Vault Ops | Format-Table Name, Type
password_reset_enabled = true
Portal password was given over the phone
The WPA2 key is on the sticker
Her old password opens the archive again
Passphrase: entered wrong twice, disk locked
The PIN for the meeting room panel changes daily
Password: see ticket of last week
Passwords: use the manager, never the browser
log in as service account is denied by policy
vpn pass: issued by security desk
Recovery key: printed and filed in cabinet B
2FA: not enrolled yet
access code: handed over in person
API secret: regenerate in the console
Key: green means online
token: belongs to Paul
credentials: entered twice
hot key: Shift+F10 opens the prompt
Login: slow after update KB5034441
root cause: expired certificate
root: cause is a full disk
user/device limit is 5
support: call back at 15:30
Tray codes 118943 440110 were scanned
Az.KeyVault 6.3.1.0 needs an update
PSScriptAnalyzer 1.22.0.1 reports two findings
AVeryDescriptiveNameForTheSecondUnitTest7
HandleIncomingMessagesFromTheOldQueueBeforeShutdown3
Passwort für das Konto Lager ist abgelaufen
Kennwort: wird morgen neu vergeben
Das Kennwort der Kasse kennt nur Frau Weber
PIN: steht im Brief der Bank
WLAN-Kennwort hängt im Flur
Zugangsdaten: liegen beim Pförtner
Mot de passe : périmé depuis lundi
Le mot de passe de la boutique est écrit au tableau
Clé : laissée à la réception
Code : validé par le chef
Contraseña: vencida desde el lunes
La contraseña del correo no funciona
Clave: compartida por todo el equipo
Heslo: vypršelo v pondělí
Heslo pro sklad zná vedoucí
PIN: zapomenutý
Hasło: wygasło w poniedziałek
Hasło dla kasy zna kierownik
Mật khẩu: hết hạn từ thứ hai
Mật khẩu của máy in ở trong tủ
docker run --user app -p 5000:5000 registry
psql -U report -d sales -p 6432
password_min_length: 14
username and password fields are empty
password: reset,see the ticket
she types her password as usual
the code to the office was changed by the landlord
`)
