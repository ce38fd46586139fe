import { readOrdinaryLines, readSecretLines } from './mask-lines.ts'

// Lines that were written after the rules were extended for the foreign lines, and that no rule was extended for.

export const foreignHeldOutSecrets = readSecretLines(`
Customer gave me the portal password over the phone: ⟦Sandbank-61⟧
WPA2 key on the sticker: ⟦88213-northpier⟧
old password ⟦Ginger12⟧ still opens the archive
Passphrase (LUKS, second disk): ⟦brown owls count quietly⟧
The PIN for the meeting room panel is ⟦2046⟧
Your temporary password has been set to ⟦Quartz?3319⟧
password for all lab machines: ⟦lab-Only-5⟧
log in as service with password ⟦Spanner_14⟧
please store in vault: vpn user rgreen, pass ⟦Harbor.Lights3⟧
wifi pw on the first floor = ⟦Elder-flower-2⟧
Recovery key for ws-221: ⟦220143 118943 440110 550220 660330 110440 220550 330660⟧
2FA seed ⟦ORSX G5BA ONSW G4TF⟧
access code to the archive: ⟦60914⟧
API secret: ⟦‹word:40›⟧
bob:⟦Cr4ne.Lift⟧@192.0.2.14
I told him ⟦Maple&Oak7⟧ is the password until Friday
Passwort für das Konto Lager: ⟦Regal-17-B⟧
Das Kennwort der Kasse ist ⟦Muenze22⟧
Kennwort lautet nun: ⟦Hafen.Nord8⟧
mein PW: ⟦Sternwarte5⟧
PIN für den Tresor: ⟦771204⟧
WLAN-Kennwort ⟦Garten#Haus6⟧ hängt im Flur
Benutzer empfang Kennwort ⟦Klingel-3⟧
Le mot de passe de la boutique est ⟦Vitrine.55⟧
mot de passe temporaire : ⟦Avril-2027-a⟧
Clé WPA : ⟦maison-du-lac-9⟧
phrase de passe : ⟦cinq vieux bateaux blancs⟧
utilisateur stage, mdp ⟦Cafetiere8⟧
Contraseña del correo: ⟦Tormenta_18⟧
le di la contraseña ⟦Puerto!45⟧ por teléfono
clave de acceso: ⟦casa-verde-12⟧
PIN del móvil: ⟦9035⟧
heslo k účtu: ⟦Vrba.2028⟧
Heslo pro sklad je ⟦Police#7⟧
jeho heslo zní ⟦Habr-552⟧
PIN terminálu je ⟦6128⟧
hasło dla kasy: ⟦Moneta_9⟧
Hasło zostało zmienione na ⟦Kasztan!3⟧
mój PIN to ⟦5082⟧
mật khẩu của máy in: ⟦MayIn-6600⟧
Mật khẩu tạm thời: ⟦TamThoi#5⟧
cifs-mount --user=jan --password=⟦C1fs-jan⟧
Invoke-RestMethod -Headers @{ 'X-API-Key' = '⟦‹word:32›⟧' }
ansible-playbook site.yml -e "db_password=⟦4nsible.Db⟧"
ssh root@bmc4 # password ⟦bmc.R00t⟧
wpa_supplicant: psk="⟦quiet little river⟧"
spring.mail.password: ⟦M4il.Spr⟧
ENV ADMIN_PASSWORD=⟦d0cker.Env⟧
set credential password ⟦Fabric0s⟧
2027-01-03 INFO user=anna pwd=⟦L0g.Anna⟧ ip=none
`)

export const foreignHeldOutOrdinary = readOrdinaryLines(`
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
`)
