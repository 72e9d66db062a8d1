// The texts of the bar of open emergencies, and of their notifications.

import { addWords } from './translate.js';

addWords({
  'emergency.label': ['Emergencies', 'Acil durumlar'],
  'emergency.title': ['Emergency: {device} ({kind})', 'Acil durum: {device} ({kind})'],
  'emergency.page.one': ['Emergency: {device}', 'Acil durum: {device}'],
  'emergency.page.other': ['{count} emergencies', '{count} acil durum'],
  'emergency.count.one': ['{count} open emergency', '{count} açık acil durum'],
  'emergency.count.other': ['{count} open emergencies', '{count} açık acil durum'],
  'emergency.raised': ['Raised', 'Bildirildi:'],
  'emergency.in': ['In {places}', 'Yer: {places}'],
  'emergency.at': ['At {coordinate}', 'Yer: {coordinate}'],
  'emergency.position': ['position', 'konum'],
  'emergency.noPosition': ['No position is known', 'Konum bilinmiyor'],
  'emergency.map': ['Show on Map', 'Haritada Göster'],
  'emergency.map.of': ['Show {device} on the map', '{device}: haritada göster'],
  'emergency.call': ['Call', 'Ara:'],
  'emergency.acknowledge': ['I’ll take care of it', 'Ben ilgileniyorum'],
  'emergency.acknowledge.of': ['I’ll take care of it: {device}', 'Ben ilgileniyorum: {device}'],
  'emergency.failed': ['This was not recorded. {message}', 'Bu kaydedilemedi. {message}'],
  'emergency.taken': ['{person} takes care of it: {device} ({kind})', '{person} ilgileniyor: {device} ({kind})'],
  'emergency.taken.you': ['You take care of it: {device} ({kind})', 'Siz ilgileniyorsunuz: {device} ({kind})'],
  'emergency.taken.unnamed': ['A person takes care of it: {device} ({kind})', 'Bir kişi ilgileniyor: {device} ({kind})'],
  'emergency.device': ['Emergency: {kind}', 'Acil durum: {kind}'],
  'emergency.notify': ['Notify Me', 'Bana Bildir'],
  'emergency.notify.title': ['Notifications', 'Bildirimler'],
  'emergency.notify.about': ['This browser shows a notification when a device raises an emergency, while a page of Picket is open.', 'Bir Picket sayfası açıkken bir cihaz acil durum bildirince bu tarayıcı bir bildirim gösterir.'],
  'emergency.notify.granted': ['Notifications of emergencies are on.', 'Acil durum bildirimleri açık.'],
  'emergency.notify.denied': ['This browser does not allow notifications from this page. Allow them in the settings of the browser.', 'Bu tarayıcı bu sayfanın bildirimlerine izin vermiyor. Tarayıcının ayarlarında izin verin.'],
  'emergency.notify.missing': ['This browser cannot show notifications from this page.', 'Bu tarayıcı bu sayfanın bildirimlerini gösteremez.'],
});
