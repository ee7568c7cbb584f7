/** What the pages of a session say, in one language. The test cards, which no shopper has, stay in English. */
export interface PageTexts {
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  readonly heading: string;
  readonly payTo: string;
  readonly reference: string;
  readonly amount: string;
  readonly number: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly securityCode: string;
  readonly securityCodeHint: string;
  readonly name: string;
  readonly pay: string;
  /** The express button. */
  readonly wallet: string;
  readonly back: string;
  readonly cancel: string;
  /** What the page's script says. */
  readonly script: {
    readonly numberMissing: string;
    readonly numberUnknown: string;
    readonly expiryWrong: string;
    readonly securityCodeWrong: string;
    readonly nameMissing: string;
    readonly paying: string;
    readonly wait: string;
    readonly unreachable: string;
    readonly walletForbidden: string;
    readonly walletInactive: string;
    readonly approved: string;
  };
  /** What the sandbox answers to a card, by its English sentence. */
  readonly answers: Readonly<Record<string, string>>;
  readonly challenge: {
    readonly title: string;
    readonly heading: string;
    readonly elsewhere: string;
    /** Before and after the code. */
    readonly askForCode: readonly [string, string];
    readonly code: string;
    readonly confirm: string;
    /** What the page's script says. */
    readonly script: {
      readonly codeMissing: string;
      readonly checking: string;
      readonly waiting: string;
      readonly unreachable: string;
    };
  };
  readonly notices: {
    readonly unknown: NoticeText;
    readonly expired: NoticeText;
    readonly paid: NoticeText;
    /** Nothing leads back to the shop. */
    readonly paidStays: NoticeText;
    readonly continue: string;
    readonly noScript: string;
  };
}

interface NoticeText {
  readonly title: string;
  readonly text: string;
}

const ENGLISH: PageTexts = {
  locale: 'en',
  dir: 'ltr',
  heading: 'Pay by card',
  payTo: 'Pay to',
  reference: 'Reference',
  amount: 'Amount',
  number: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'MM/YY',
  securityCode: 'Security code',
  securityCodeHint: '3 or 4 digits',
  name: 'Name on card',
  pay: 'Pay',
  wallet: 'Test wallet',
  back: 'Back to the shop',
  cancel: 'Cancel',
  script: {
    numberMissing: 'Enter the card number.',
    numberUnknown: 'Use one of the test cards. Never use a real card in a sandbox.',
    expiryWrong: 'Enter the month and year, as MM/YY.',
    securityCodeWrong: 'Enter the 3 or 4 digits of the code.',
    nameMissing: 'Enter the name on the card.',
    paying: 'Paying…',
    wait: 'Paying. Please wait.',
    unreachable: 'The sandbox could not be reached. If you try again, you still pay only once.',
    walletForbidden: 'A page around this form forbids wallets. Use a card.',
    walletInactive: 'A wallet opens only from a press. Press again, or use a card.',
    approved: 'Payment approved.',
  },
  answers: {},
  challenge: {
    title: 'Your bank asks for a code',
    heading: 'Your bank asks: is it you?',
    elsewhere:
      'Confirm the payment in the app of your bank. In this sandbox the card decides what is answered there.',
    askForCode: [
      'A real bank would send a code to your phone. In this sandbox it is ',
      '; any other one declines.',
    ],
    code: 'Code from your bank',
    confirm: 'Confirm',
    script: {
      codeMissing: 'Enter the code from your bank.',
      checking: 'Checking. Please wait.',
      waiting: 'Waiting for your bank.',
      unreachable: 'The sandbox could not be reached. Please try again.',
    },
  },
  notices: {
    unknown: {
      title: 'There is no such payment page',
      text: 'The address is incomplete, or the sandbox has restarted.',
    },
    expired: {
      title: 'This payment page has expired',
      text: 'Nothing was charged. Go back to the shop and start again.',
    },
    paid: {
      title: 'Payment approved',
      text: 'This session is paid. It cannot be paid twice.',
    },
    paidStays: {
      title: 'Payment approved',
      text: 'This session is paid. Nothing takes you back to the shop.',
    },
    continue: 'Continue',
    noScript: 'Paying here needs JavaScript.',
  },
};

const ARABIC: PageTexts = {
  locale: 'ar',
  dir: 'rtl',
  heading: 'الدفع بالبطاقة',
  payTo: 'الدفع إلى',
  reference: 'المرجع',
  amount: 'المبلغ',
  number: 'رقم البطاقة',
  expiry: 'تاريخ الانتهاء',
  expiryHint: 'شهر/سنة، مثل 12/39',
  securityCode: 'رمز الأمان',
  securityCodeHint: '3 أو 4 أرقام',
  name: 'الاسم على البطاقة',
  pay: 'ادفع',
  wallet: 'محفظة اختبار',
  back: 'العودة إلى المتجر',
  cancel: 'إلغاء',
  script: {
    numberMissing: 'أدخل رقم البطاقة.',
    numberUnknown: 'استخدم إحدى بطاقات الاختبار. لا تستخدم بطاقة حقيقية هنا أبدًا.',
    expiryWrong: 'أدخل الشهر والسنة، مثل 12/39.',
    securityCodeWrong: 'أدخل أرقام رمز الأمان الثلاثة أو الأربعة.',
    nameMissing: 'أدخل الاسم المكتوب على البطاقة.',
    paying: 'جارٍ الدفع…',
    wait: 'جارٍ الدفع. يرجى الانتظار.',
    unreachable: 'تعذر الوصول. إذا حاولت مجددًا فستدفع مرة واحدة فقط.',
    walletForbidden: 'تمنع الصفحة المحيطة استخدام المحافظ. استخدم بطاقة.',
    walletInactive: 'لا تُفتح المحفظة إلا بضغطة. اضغط مرة أخرى أو استخدم بطاقة.',
    approved: 'تمت الموافقة على الدفع.',
  },
  answers: {
    'Enter a month that is not over, as MM/YY.': 'أدخل شهرًا لم ينتهِ بعد، مثل 12/39.',
    'This check has ended.': 'انتهى هذا التحقق.',
    'The card was declined. Nothing was charged: try another card.':
      'رُفضت البطاقة. لم يُخصم أي مبلغ: جرّب بطاقة أخرى.',
    'There is not enough money on the card. Nothing was charged: try another card.':
      'رصيد البطاقة غير كافٍ. لم يُخصم أي مبلغ: جرّب بطاقة أخرى.',
    'The card has expired. Nothing was charged: try another card.':
      'انتهت صلاحية البطاقة. لم يُخصم أي مبلغ: جرّب بطاقة أخرى.',
    'The security code is wrong. Nothing was charged: check it, or try another card.':
      'رمز الأمان غير صحيح. لم يُخصم أي مبلغ: تحقق منه أو جرّب بطاقة أخرى.',
    'The address is not that of the card. Nothing was charged: check it.':
      'العنوان لا يطابق عنوان البطاقة. لم يُخصم أي مبلغ: تحقق منه.',
    'The code was wrong. Nothing was charged: try again, or another card.':
      'الرمز غير صحيح. لم يُخصم أي مبلغ: حاول مجددًا أو جرّب بطاقة أخرى.',
    'The bank could not confirm that it is you. Nothing was charged: try another card.':
      'لم يتمكن البنك من تأكيد هويتك. لم يُخصم أي مبلغ: جرّب بطاقة أخرى.',
    'You cancelled the bank’s check. Nothing was charged.': 'ألغيت تحقق البنك. لم يُخصم أي مبلغ.',
    'The bank’s check timed out. Nothing was charged: try another card.':
      'انتهت مهلة تحقق البنك. لم يُخصم أي مبلغ: جرّب بطاقة أخرى.',
  },
  challenge: {
    title: 'يطلب البنك رمزًا',
    heading: 'البنك يسأل: هل هذا أنت؟',
    elsewhere: 'أكِّد الدفع في تطبيق البنك. في بيئة الاختبار هذه تحدد البطاقة الجواب.',
    askForCode: [
      'يرسل البنك الحقيقي رمزًا إلى هاتفك. الرمز في بيئة الاختبار هذه هو ',
      '، وأي رمز آخر يُرفض.',
    ],
    code: 'الرمز المرسل من البنك',
    confirm: 'تأكيد',
    script: {
      codeMissing: 'أدخل الرمز المرسل من البنك.',
      checking: 'جارٍ التحقق. يرجى الانتظار.',
      waiting: 'بانتظار البنك.',
      unreachable: 'تعذر الوصول. يرجى المحاولة مجددًا.',
    },
  },
  notices: {
    unknown: {
      title: 'لا توجد صفحة دفع بهذا العنوان',
      text: 'العنوان غير كامل، أو أُعيد تشغيل بيئة الاختبار.',
    },
    expired: {
      title: 'انتهت صلاحية صفحة الدفع هذه',
      text: 'لم يُخصم أي مبلغ. عد إلى المتجر وابدأ من جديد.',
    },
    paid: {
      title: 'تمت الموافقة على الدفع',
      text: 'تم الدفع في هذه الجلسة، ولا يمكن الدفع مرتين.',
    },
    paidStays: {
      title: 'تمت الموافقة على الدفع',
      text: 'تم الدفع في هذه الجلسة، ولا شيء يعيدك إلى المتجر.',
    },
    continue: 'متابعة',
    noScript: 'يتطلب الدفع هنا تفعيل JavaScript.',
  },
};

/** The texts of a language tag such as `ar-EG`; English for those that the pages do not speak. */
export function textsOf(language: string | undefined): PageTexts {
  return language !== undefined && /^ar\b/i.test(language) ? ARABIC : ENGLISH;
}
